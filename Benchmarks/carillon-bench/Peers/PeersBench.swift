import ArgumentParser
import BenchReport
import Glibc
import SystemPackage

/// Carillon beside others that do the same work.
struct PeersBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers", abstract: "The same work done by Carillon and by others, in turns, as one page with ratios.",
    discussion: """
      Journal against SQLite, Redis, PostgreSQL and RocksDB; chats and fan-out against nginx with nchan, with and without \
      Redis. Who is not installed is named on the page as not measured; `make compare` installs them.
      """)

  enum Part: String, CaseIterable, ExpressibleByArgument { case journal, chat, fanout }

  @Option(parsing: .upToNextOption, help: "Which work: journal, chat, fanout; all of it if absent.")
  var only: [Part] = []
  @Option(help: "How often each of them does it.") var rounds = 3
  @Option(help: "Seconds of each measurement.") var seconds = 5
  @Option(help: "One-to-one chats.") var chats = 1_000
  @Option(help: "Messages of chats on their way at a time.") var window = 512
  @Option(help: "Connections that post.") var lanes = 128
  @Option(help: "Who hears each message of the fan-out.") var hearers = 1_000
  @Option(help: "nginx's worker processes; one for each of the server's processors if absent.")
  var nginxWorkers: Int?
  @Option(help: "Also write the page, as Markdown, to this file.") var page: String?
  @Option(name: .customLong("json"), help: "Also write the medians to this file, as JSON.") var jsonFile: String?
  @OptionGroup var processors: CoreOptions

  func validate() throws {
    guard (1...50).contains(rounds), (1...600).contains(seconds), chats > 0, window > 0, lanes > 0, hearers > 0,
      chats + lanes < 19_000, hearers + lanes < 19_000, nginxWorkers.map({ (1...64).contains($0) }) ?? true
    else {
      throw ValidationError("1-50 rounds, 1-600 seconds, 1-64 workers; chats or hearers with lanes below 19,000")
    }
    guard processors.cores == nil || (!only.isEmpty && !only.contains(.journal)) else {
      throw ValidationError("--cores parts client and server: it is for --only chat fanout")
    }
  }

  func run() async throws {
    try Files.prepare([page, jsonFile].compactMap(\.self))
    let sheets = try await Pinning.during(processors.cores) { try await measured() }
    let arguments = Array(CommandLine.arguments.dropFirst())
    var report = Report(
      machine: Machine.description, commit: Machine.commit, kernel: Machine.kernel, date: Machine.date,
      arguments: arguments)
    report.add(sheets.flatMap(\.measurements))
    Terminal.print(report.table)
    if let jsonFile { try Files.write(String(decoding: report.json, as: UTF8.self) + "\n", to: jsonFile) }
    guard let page else { return }
    let text = PeerPage(
      command: "carillon-bench " + arguments.joined(separator: " "), date: report.date, commit: report.commit,
      machine: report.machine, rounds: rounds, promises: await PeerPromises.all(try WorkDirectory()), sheets: sheets
    ).markdown
    try Files.write(text, to: page)
  }

  private func measured() async throws -> [PeerSheet] {
    var contests = self.contests
    for round in 1...rounds {
      for index in contests.indices { try await contests[index].run(round: round) }
    }
    return contests.map(\.sheet)
  }

  private var contests: [Contest] {
    var contests: [Contest] = []
    func isWanted(_ part: Part) -> Bool { only.isEmpty || only.contains(part) }
    if isWanted(.journal) { contests.append(JournalContest.make(seconds: seconds)) }
    for (part, reachesAll) in [(Part.chat, false), (.fanout, true)] where isWanted(part) {
      for link in [ChatLoad.Link.longPolling, .webSocket] {
        contests.append(
          ConversationContest(
            customers: reachesAll ? hearers : chats, window: reachesAll ? 2 * hearers : window,
            // Messages to all come from one publisher, in order.
            lanes: reachesAll ? 1 : lanes, seconds: seconds,
            nginxWorkers: nginxWorkers ?? processors.cores?.server.count ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            link: link,
            reachesAll: reachesAll
          ).make())
      }
    }
    return contests
  }
}
