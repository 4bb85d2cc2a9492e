import ArgumentParser
import Engine
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `carillon journal replay`: what an entity was at a moment, rebuilt by the same deciders as the server's.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Rebuild the state of one entity and print it as JSON.",
    discussion: "Exits with 1 if the journal has no record of it up to the moment asked for.")

  @OptionGroup var journal: JournalArguments
  @Option(help: "The entity, as kind:key, such as chat:412-0b7c6e1e-….") var entity: EntityArgument
  @Option(help: "Up to and including this record number or time; to the end if absent.") var at: JournalBound?

  /// The last record that was applied.
  private struct Progress {
    var records = 0
    var position: UInt64 = 0
    var sequence: UInt64 = 0
    var time = Timestamp.epoch
  }

  func run() throws {
    guard var replayer = JournalKinds.replayer(kind: entity.id.kind) else {
      Console.remark("error: this version does not know the kind \(entity.id.kind.label)")
      throw ExitStatus.usage.exitCode
    }
    var progress = Progress()
    try journal.read { reader in
      try reader.forEachRecord { record in
        let time = Timestamp(milliseconds: record.timeMilliseconds)
        guard record.kind == entity.id.kind.rawValue, !record.isRedacted,
          record.key.elementsEqual(entity.id.key.utf8), at?.isBefore(position: record.position, time: time) != true
        else { return }
        if record.sequence != progress.sequence + 1 {
          Console.remark(
            "warning: record \(record.position) has sequence number \(record.sequence) after \(progress.sequence): "
              + "records between them are missing or redacted")
        }
        do {
          try replayer.apply(time: time, tag: record.tag, payload: record.payload)
        } catch {
          Console.remark("error: record \(record.position) (event tag \(record.tag)) cannot be read: \(error)")
          throw ExitStatus.damagedData.exitCode
        }
        progress = Progress(
          records: progress.records + 1, position: record.position, sequence: record.sequence, time: time)
      }
    }
    guard progress.records > 0 else {
      Console.remark("error: no record of \(entity.id)" + (at == nil ? "" : " up to that moment"))
      throw ExitStatus.failure.exitCode
    }
    Console.write(try json(replayer.state, progress))
  }

  private func json(_ state: any Encodable, _ progress: Progress) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("entity")
    writer.string("\(entity.id)")
    writer.key("position")
    writer.integer(progress.position)
    writer.key("sequence")
    writer.integer(progress.sequence)
    writer.key("time")
    writer.string(progress.time.iso8601Milliseconds)
    writer.key("records")
    writer.integer(progress.records)
    writer.key("state")
    writer.raw(Array(try encoder.encode(state)))
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}
