import ArgumentParser
import Engine
import EventSourcing
import Journal
import JournalFormat

/// `carillon journal timeline`: what happened, as a person reads it.
struct TimelineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline", abstract: "Tell what happened: who did what, when, and what became of each push.",
    discussion: """
      A line for each event: time in UTC, record number, entity, number in the transcript, who, what. Texts are shown: \
      this is the operator's audit. A subject is a user key, a service id, a chat session id, a Comet session's id, a \
      device id, a value of attached data such as an e-mail address, or of support requests an e-mail address, \
      external id, device identifier, user:5 or request:5; all that belongs to that customer is told.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(help: "Only this entity, as kind:key; of a chat, its pushes too.") var entity: EntityArgument?
  @Option(help: "Only this customer.") var subject: String?
  @Option(help: "Only this push or message, by the id that senders, devices or couriers were told.")
  var message: String?
  @Option(help: "From this record number or time (2026-02-11T08:30:05Z) on.") var from: JournalBound?
  @Option(help: "Up to and including this record number or time.") var to: JournalBound?
  @Flag(help: "Bookkeeping too: deliveries, subscriptions, what a push goes through.") var details = false
  @Flag(inversion: .prefixedNo, help: "Show what people wrote.") var texts = true
  @Option(help: "text, or json: one object a line.") var format = OutputFormat.text

  func validate() throws {
    if [entity != nil, subject != nil, message != nil].filter(\.self).count > 1 {
      throw ValidationError("--entity, --subject and --message exclude each other.")
    }
    if subject?.isEmpty == true { throw ValidationError("--subject must not be empty.") }
    if message?.isEmpty == true { throw ValidationError("--message must not be empty.") }
  }

  func run() throws {
    try reporting {
      let count = try journal.read { reader, line in
        if let count = try tellFromIndex(reader) { return count }
        var teller = TimelineTeller(question, filter, in: .carillon)
        if teller.needsCollecting {
          try reader.walk(segment: { line.update($0) }, record: { teller.collect($0) })
          teller.close()
          guard !teller.hasFoundNothing else { throw nothingFound }
        }
        return try tell(reader, &teller, &line)
      }
      guard count > 0 else { throw CommandFailure(.failure, "nothing happened that was asked for") }
    }
  }

  private var nothingFound: CommandFailure {
    CommandFailure(.failure, "nothing in this journal belongs to the customer \(subject ?? "")")
  }

  private var filter: TimelineFilter { TimelineFilter(hasDetails: details, from: from, to: to) }

  /// Reads only what the server's index names, if there is one.
  /// - Returns: how many lines were printed; nil if everything is to be read.
  private func tellFromIndex(_ reader: JournalReader) throws -> Int? {
    guard subject != nil || entity != nil else { return nil }
    let index = try journal.index()
    guard let covered = try index.look()?.coveredTo else { return nil }
    var head = covered
    try reader.read(from: covered + 1) { record in
      head = record.position
      return true
    }
    var search = TimelineSearch(question, filter, in: .carillon)
    var printer = TimelinePrinter(text: TimelineText(showsTexts: texts), format: format)
    var next: UInt64? = 0
    do {
      while let after = next {
        let page = try search.page(
          after: after, limit: Self.entriesAtOnce, head: head, reader, milliseconds: Self.pageMilliseconds,
          index: index)
        try printer.print(page.entries)
        next = page.next
      }
    } catch is EnoughRead {}
    guard !search.hasFoundNothing else { throw nothingFound }
    return printer.count
  }

  private static let entriesAtOnce = 1_000
  /// Nobody else is kept waiting.
  private static let pageMilliseconds: Int64 = 3_600_000

  private var question: TimelineQuestion {
    if let subject { return .subject(subject) }
    if let message { return .message(message) }
    return entity.map { .entity($0.id) } ?? .everything
  }

  /// - Returns: how many lines were printed.
  private func tell(_ reader: JournalReader, _ teller: inout TimelineTeller, _ line: inout ProgressLine) throws -> Int {
    var printer = TimelinePrinter(text: TimelineText(showsTexts: texts), format: format)
    do {
      try reader.walk(
        segment: { line.update($0) },
        frame: { try printer.print(teller.entries(of: $0.header, segmentNumber: $0.segmentNumber)) },
        record: { try printer.print(teller.entries(of: $0)) })
    } catch is EnoughRead {}
    return printer.count
  }
}

/// Prints entries as they come.
private struct TimelinePrinter {
  var text: TimelineText
  let format: OutputFormat
  private(set) var count = 0

  init(text: TimelineText, format: OutputFormat) {
    self.text = text
    self.format = format
  }

  /// - Throws: `EnoughRead` once nobody reads any more.
  mutating func print(_ entries: [TimelineEntry]) throws {
    for entry in entries {
      count += 1
      let line =
        switch format {
        case .text: Array((text.line(entry) + "\n").utf8)
        case .json: text.json(entry) + [UInt8(ascii: "\n")]
        }
      guard Console.write(line) else { throw EnoughRead() }
    }
  }
}
