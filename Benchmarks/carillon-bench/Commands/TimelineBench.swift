import ArgumentParser
import BenchReport
import Engine
import EventSourcing
import Journal
import JournalFormat
import NIOPosix

/// How long an operator waits for a customer's timeline, with the index of records and without.
struct TimelineBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "A customer's timeline in a long journal, with the index of records and without."
  )

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Events in the journal.") var events = 10_000_000
    @Option(help: "Chats that they belong to.") var chats = 100_000
    @Option(help: "Customers who are asked for.") var customers = 9
    @Flag(inversion: .prefixedNo, help: "Also read the whole journal for one of them.") var without = true

    func validate() throws {
      guard chats > 0, events >= 10 * chats, events / chats < 100_000, events <= 100_000_000,
        (1...1_000).contains(customers), customers <= chats
      else {
        throw ValidationError(
          "from 10 to 100,000 events a chat, at most 100,000,000 in all; 1 to 1,000 customers, no more than chats")
      }
    }
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    // What blocks has threads of its own.
    try await NIOThreadPool.singleton.runIfActive { try run(workload) }
  }

  private static func run(_ workload: Workload) throws -> [Measurement] {
    let settings = "\(workload.events) events of \(workload.chats) chats"
    Terminal.note("timeline: writing \(settings)")
    let directory = try WorkDirectory()
    try JournalRun.fill(directory, events: workload.events, chats: workload.chats)
    let journalBytes = try JournalRun.usedBytes(directory)
    let path = JournalRun.path(directory)
    var head: UInt64 = 0
    let reader = JournalReader(directory: path)
    try reader.forEachFrame { head = $0.header.endPosition - 1 }

    Terminal.note("timeline: making the index")
    let index = RecordIndex(directory: path)
    let start = ContinuousClock.now
    while try index.extend(upTo: head, recordsMinimum: 1, terms: SubjectTerm.hashes(in: .carillon)).hasMore {}
    let seconds = (ContinuousClock.now - start).inSeconds
    let indexBytes = directory.files(in: JournalRun.folder + "/index").reduce(0) { $0 + $1.bytes }
    var results = [
      Measurement(
        "timeline.index.rate", Double(head) / seconds, "events/s", settings: "made on one thread, \(settings)"),
      Measurement(
        "timeline.index.bytes", Double(indexBytes) / Double(head), "bytes/event",
        settings: "\(Measurement.decimal(Double(indexBytes) / Double(journalBytes), digits: 2)) of the journal"),
    ]
    // Far from each other.
    let users = stride(from: 0, to: workload.chats, by: max(1, workload.chats / workload.customers))
      .prefix(workload.customers).map { ChatEvents.userKey($0) }
    results += try ask(users, reader, index, head, name: "timeline.index", settings: "with the index, \(settings)")
    if workload.without {
      Terminal.note("timeline: reading all of the journal for one customer")
      results += try ask([users[0]], reader, nil, head, name: "timeline.plain", settings: "without, \(settings)")
    }
    return results
  }

  /// The medians of the times to the first page and to the last.
  private static func ask(
    _ users: [String], _ reader: JournalReader, _ index: RecordIndex?, _ head: UInt64, name: String, settings: String
  ) throws -> [Measurement] {
    var (first, all): ([Double], [Double]) = ([], [])
    for user in users {
      let start = ContinuousClock.now
      var search = TimelineSearch(.subject(user), TimelineFilter(), in: .carillon)
      var count = 0
      var after: UInt64? = 0
      while let from = after {
        let page = try search.page(
          after: from, limit: entriesOfPage, head: head, reader, milliseconds: millisecondsOfPage, index: index)
        if count == 0, !page.entries.isEmpty { first.append((ContinuousClock.now - start).inSeconds) }
        count += page.entries.count
        after = page.next
      }
      guard count > 0 else { throw BenchError("nothing is told of \(user)") }
      all.append((ContinuousClock.now - start).inSeconds)
    }
    return [("first", first), ("all", all)].map { part, seconds in
      let median = seconds.sorted()[seconds.count / 2] * 1_000
      let isFirst = part == "first"
      let goal = isFirst && index != nil ? PushGoal.atMost(millisecondsToFirst, median) + ", " : ""
      return Measurement(
        "\(name).\(part)", median, "ms",
        settings: "\(goal)\(isFirst ? "to the first \(entriesOfPage) entries" : "to the last"), \(settings)")
    }
  }

  private static let entriesOfPage = 100
  /// What the console promises of a subject among 10,000,000 records.
  private static let millisecondsToFirst = 1_000.0
  /// As long as it takes.
  private static let millisecondsOfPage: Int64 = 3_600_000
}
