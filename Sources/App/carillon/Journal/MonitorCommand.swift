import ArgumentParser
import EventSourcing
import EvidenceEdge
import Journal
import SystemPackage
import Transparency
import UnixSignals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `carillon journal monitor`: whether another instance goes on with the history that it has signed.
struct MonitorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Follow another instance's checkpoints; alarm on a fork or a stall.",
    discussion: """
      Asks for URL/checkpoint again and again, checks its signatures by the policy, and proves from the tiles at \
      URL/tile/… that each tree begins with the one before. What it has seen is kept in --state, so that a restart \
      forgets nothing; of a fork both halves are kept there. Goes on after an alarm; with --once it looks once, and the \
      exit code says what was found. SIGTERM and SIGINT stop it.
      """)

  @Argument(help: "Where the log is, such as https://carillon.example.com/tlog.") var url: String
  @Option(help: "The file that says which logs and witnesses are trusted.") var policy: String
  @Option(help: "The directory that keeps what was seen; without it nothing outlives the process.") var state: String?
  @Option(help: "Seconds from one look to the next.") var interval: UInt64 = 60
  @Option(help: "An alarm if there is neither a larger tree nor a newer cosignature for so many seconds.")
  var stall: UInt64?
  @Flag(help: "Look once, and end with an exit code that says what was found.") var once = false
  @Option(
    help: """
      A command for the shell when an alarm comes, and when it is over: CARILLON_ALARM, CARILLON_ALARM_STATE, \
      CARILLON_ALARM_TEXT, CARILLON_LOG and CARILLON_LOG_URL say what it is.
      """)
  var onAlarm: String?
  @Option(help: "The PEM file of certificates that the server is known by, in place of the system's.")
  var trustRoots: String?

  func validate() throws {
    guard HTTPLogReader(prefix: url) != nil else { throw ValidationError("\(url) is not a URL of http or https.") }
    guard MonitorLimits.intervalSeconds.contains(interval) else {
      throw ValidationError("--interval is not from \(MonitorLimits.intervalSeconds.text).")
    }
    guard stall.map(MonitorLimits.stallSeconds.contains) ?? true else {
      throw ValidationError("--stall is not from \(MonitorLimits.stallSeconds.text).")
    }
  }

  func run() async throws {
    try await Self.reporting {
      let policy = try EvidenceFile.policy(policy)
      let origin = try policy.origin(at: url)
      guard let reader = HTTPLogReader(prefix: url, trustRootsFile: trustRoots) else { return }
      let monitor = LogMonitor(origin: origin, policy: policy, stallSeconds: stall)
      if once { try await lookOnce(monitor, reader) } else { try await follow(monitor, reader) }
    }
  }

  private var files: EvidenceFiles? { state.map { EvidenceFiles(FilePath($0)) } }

  // MARK: Once

  private func lookOnce(_ monitor: LogMonitor, _ reader: HTTPLogReader) async throws {
    var follower = try LogFollower(monitor, reader, files: files)
    let findings = try await follower.look(unixSeconds: Self.now)
    for finding in findings { Console.remark("\(finding.isAlarm ? "alarm" : "error"): \(finding)") }
    if let onAlarm {
      let command = AlarmCommand(command: onAlarm, origin: monitor.origin, url: url)
      for finding in findings where finding.isAlarm { await tell(command, .raised(finding)) }
    }
    if let worst = findings.first(where: \.isAlarm) ?? findings.first { throw ExitStatus(worst).exitCode }
    if let record = follower.record { Console.print(Self.line(record)) }
  }

  // MARK: For ever

  private func follow(_ monitor: LogMonitor, _ reader: HTTPLogReader) async throws {
    // From here on a signal ends the task, not the process: what is being written is written to its end.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await watch(monitor, reader) }
      group.addTask { for await _ in signals { return } }
      try await group.next()
      group.cancelAll()
    }
  }

  private func watch(_ monitor: LogMonitor, _ reader: HTTPLogReader) async throws {
    let command = onAlarm.map { AlarmCommand(command: $0, origin: monitor.origin, url: url) }
    var follower = try LogFollower(monitor, reader, files: files)
    var board = AlarmBoard()
    var size = follower.record?.head.size
    while !Task.isCancelled {
      let now = Self.now
      let findings = try await follower.look(unixSeconds: now)
      guard !Task.isCancelled else { return }
      if let record = follower.record, record.head.size != size {
        size = record.head.size
        Console.print("\(Self.time(now))  \(Self.line(record))")
      }
      for news in board.received(findings, unixSeconds: now) {
        Console.remark("\(Self.time(now))  \(news.text)")
        if let command, news.isAlarm { await tell(command, news) }
      }
      do { try await Task.sleep(for: .seconds(interval)) } catch { return }
    }
  }

  private func tell(_ command: AlarmCommand, _ news: AlarmBoard.News) async {
    let problem = await command.run(news, environment: ProcessInfo.processInfo.environment)
    if let problem { Console.remark("warning: \(problem)") }
  }

  private static func line(_ record: MonitorRecord) -> String {
    "\(record.origin) goes on: \(record.head.size) records, root \(record.head.root)"
  }

  private static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }

  private static func time(_ unixSeconds: UInt64) -> String {
    Timestamp(milliseconds: Int64(unixSeconds) * 1_000).iso8601
  }
}

extension AlarmBoard.News {
  fileprivate var text: String {
    switch self {
    case .raised(let finding): "\(finding.isAlarm ? "ALARM" : "warning"): \(finding)"
    case .over(let kind): "over: \(kind.rawValue)"
    }
  }

  fileprivate var isAlarm: Bool {
    switch self {
    case .raised(let finding): finding.isAlarm
    case .over(let kind): kind != .unreachable
    }
  }
}

extension ClosedRange<UInt64> {
  fileprivate var text: String { "\(lowerBound) to \(upperBound)" }
}

extension TrustPolicy {
  /// Which of its logs is at a URL: the one that it says so of, or its only one.
  fileprivate func origin(at url: String) throws(CommandFailure) -> KeyName {
    func bare(_ url: String) -> Substring { url.hasSuffix("/") ? url.dropLast() : url[...] }
    let there = Set(logs.filter { $0.url.map(bare) == bare(url) }.map(\.key.name))
    let candidates = there.isEmpty ? Set(logs.map(\.key.name)) : there
    guard candidates.count == 1, let origin = candidates.first else {
      throw CommandFailure(
        .configuration, "the policy names several logs: give the line of the one at \(url) that URL at its end")
    }
    return origin
  }
}
