import ArgumentParser
import Engine
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat

/// `carillon journal replay`: what an entity was at a moment, rebuilt by the same deciders as the server's.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Rebuild the state of one entity and print it as JSON.",
    discussion: "Exits with 1 if the journal has no record of it up to the moment asked for.")

  @OptionGroup var journal: JournalArguments
  @Option(help: "The entity, as kind:key, such as chat:412-0b7c6e1e-….") var entity: EntityArgument
  @OptionGroup var reveal: RevealArguments
  @Option(help: "Up to and including this record number or time; to the end if absent.") var at: JournalBound?

  func run() throws {
    try reporting {
      var history = try EntityHistory.begun(entity.id)
      try journal.read(try journal.place(of: entity.id)) { reader, line in
        _ = try reader.walk(
          segment: { line.update($0) },
          record: { record in
            let time = Timestamp(milliseconds: record.timeMilliseconds)
            guard history.isOfEntity(record), at?.isBefore(position: record.position, time: time) != true else {
              return
            }
            try history.take(record)
          })
      }
      guard history.records > 0 else {
        throw CommandFailure(.failure, "no record of \(entity.id)" + (at == nil ? "" : " up to that moment"))
      }
      let text = try JSONWriter.object { object in
        object.member("entity", history.label(mask: reveal.mask))
        try history.write(into: &object, mask: reveal.mask)
      }
      Console.write(text + [UInt8(ascii: "\n")])
    }
  }
}
