import ArgumentParser
import Engine
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat

/// `carillon journal diff`: what changed in an entity between two moments.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what changed in one entity between two moments.",
    discussion: """
      Give --at twice. A line for each field: `+` came, `-` went, `~` changed. Before its first record an entity has the \
      empty state.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(help: "The entity, as kind:key, such as chat:412-0b7c6e1e-….") var entity: EntityArgument
  @Option(parsing: .singleValue, help: "A record number or a time, included; the earlier one first.")
  var at: [JournalBound]
  @OptionGroup var reveal: RevealArguments
  @Option(help: "text or json.") var format = OutputFormat.text

  func validate() throws {
    guard at.count == 2 else { throw ValidationError("--at is needed twice: from which moment, and up to which.") }
    let isReversed =
      switch (at[0], at[1]) {
      case (.position(let first), .position(let second)): first > second
      case (.time(let first), .time(let second)): first > second
      default: false
      }
    if isReversed { throw ValidationError("The earlier --at comes first.") }
  }

  func run() throws {
    try reporting {
      var before = try EntityHistory.begun(entity.id)
      var after = try EntityHistory.begun(entity.id)
      try journal.read(try journal.place(of: entity.id)) { reader, line in
        _ = try reader.walk(
          segment: { line.update($0) },
          record: { record in
            guard after.isOfEntity(record) else { return }
            let time = Timestamp(milliseconds: record.timeMilliseconds)
            let isEarly = !at[0].isBefore(position: record.position, time: time)
            if isEarly || !at[1].isBefore(position: record.position, time: time) { try after.take(record) }
            if isEarly { before = after }
          })
      }
      guard after.records > 0 else { throw CommandFailure(.failure, "no record of \(entity.id) up to these moments") }
      let diff = try before.difference(to: after, mask: reveal.mask)
      switch format {
      case .text: try print(diff, before, after)
      case .json: try printJSON(diff, before, after)
      }
    }
  }

  private func print(_ diff: StateDiff, _ before: EntityHistory, _ after: EntityHistory) throws {
    func moment(_ history: EntityHistory) -> String {
      history.records == 0
        ? "before its first record" : "record \(history.position), \(history.time.iso8601Milliseconds)"
    }
    Console.print("--- \(entity.id)  \(moment(before))")
    Console.print("+++ \(entity.id)  \(moment(after))")
    for line in diff.lines { Console.print(line) }
    if diff.changes.isEmpty { Console.print("no change") }
  }

  private func printJSON(_ diff: StateDiff, _ before: EntityHistory, _ after: EntityHistory) throws {
    let text = try JSONWriter.object { object in
      object.member("entity", "\(entity.id)")
      try object.object("before") { try before.write(into: &$0, mask: reveal.mask) }
      try object.object("after") { try after.write(into: &$0, mask: reveal.mask) }
      object.array("changes") { diff.write(into: &$0) }
    }
    Console.write(text + [UInt8(ascii: "\n")])
  }
}
