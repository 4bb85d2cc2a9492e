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
  @Option(help: "From this record number or time (2026-02-11T08:30:05Z) on.") var from: JournalBound?
  @Option(help: "Up to and including this record number or time.") var to: JournalBound?
  @Flag(help: "Bookkeeping too: deliveries, subscriptions, what a push goes through.") var details = false
  @Flag(inversion: .prefixedNo, help: "Show what people wrote.") var texts = true
  @Option(help: "text, or json: one object a line.") var format = OutputFormat.text

  func validate() throws {
    if entity != nil, subject != nil { throw ValidationError("--entity and --subject exclude each other.") }
    if subject?.isEmpty == true { throw ValidationError("--subject must not be empty.") }
  }

  func run() throws {
    try reporting {
      let count = try journal.read { reader, line in
        var scope = subject.map { SubjectScope(subject: $0, in: .carillon) }
        if scope != nil {
          try reader.walk(segment: { line.update($0) }, record: { scope?.collect($0) })
          scope?.close()
          guard scope?.entities.isEmpty == false else {
            throw CommandFailure(.failure, "nothing in this journal belongs to the customer \(subject ?? "")")
          }
        }
        return try tell(reader, scope, &line)
      }
      guard count > 0 else { throw CommandFailure(.failure, "nothing happened that was asked for") }
    }
  }

  /// - Returns: how many lines were printed.
  private func tell(_ reader: JournalReader, _ scope: SubjectScope?, _ line: inout ProgressLine) throws -> Int {
    let entityScope = entity.map { EntityScope($0.id, in: .carillon) }
    let isFiltered = scope != nil || entityScope != nil
    var timeline = Timeline(.carillon)
    var printer = TimelinePrinter(text: TimelineText(showsTexts: texts), format: format)
    do {
      try reader.walk(
        segment: { line.update($0) },
        frame: { frame in
          if let start = timeline.entry(of: frame.header, segmentNumber: frame.segmentNumber), isInRange(start) {
            // Of one customer's story a start of the server is a part only between two of its events.
            printer.hold(start, atOnce: !isFiltered)
          }
        },
        record: { record in
          guard scope?.belongs(record) ?? entityScope?.belongs(record) ?? true else { return }
          for entry in timeline.entries(of: record) where isInRange(entry) && (details || !entry.isDetail) {
            guard printer.print(entry) else { throw EnoughRead() }
          }
        })
    } catch is EnoughRead {}
    return printer.count
  }

  private func isInRange(_ entry: TimelineEntry) -> Bool {
    from?.isAfter(position: entry.position, time: entry.time) != true
      && to?.isBefore(position: entry.position, time: entry.time) != true
  }
}

/// Prints entries as they come.
private struct TimelinePrinter {
  var text: TimelineText
  let format: OutputFormat
  private(set) var count = 0
  private var held: TimelineEntry?

  init(text: TimelineText, format: OutputFormat) {
    self.text = text
    self.format = format
  }

  /// Printed before the next entry, if there is one and one was before.
  mutating func hold(_ entry: TimelineEntry, atOnce: Bool) {
    if atOnce { _ = print(entry) } else if count > 0 { held = entry }
  }

  /// - Returns: false once nobody reads any more.
  mutating func print(_ entry: TimelineEntry) -> Bool {
    if let waiting = held {
      held = nil
      guard print(waiting) else { return false }
    }
    count += 1
    switch format {
    case .text: return Console.write(Array((text.line(entry) + "\n").utf8))
    case .json: return Console.write(text.json(entry) + [UInt8(ascii: "\n")])
    }
  }
}
