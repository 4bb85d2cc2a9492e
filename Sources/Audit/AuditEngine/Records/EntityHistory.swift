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

/// Rebuilds one entity from its records, by the same deciders as the server's.
struct EntityHistory {
  let entity: EntityID
  private var replayer: any EntityReplayer
  private(set) var records = 0
  private(set) var position: UInt64 = 0
  private(set) var sequence: UInt64 = 0
  private(set) var time = Timestamp.epoch

  /// - Throws: `CommandFailure` for a kind that this version does not know.
  init(_ entity: EntityID) throws(CommandFailure) {
    guard let replayer = Catalogue.carillon[entity.kind]?.replayer() else {
      throw CommandFailure(.usage, "this version does not know the kind \(entity.kind.label)")
    }
    self.entity = entity
    self.replayer = replayer
  }

  func isOfEntity(_ record: borrowing RecordView) -> Bool {
    record.kind == entity.kind.rawValue && !record.isRedacted && record.key.elementsEqual(entity.key.utf8)
  }

  /// Applies the entity's next record.
  ///
  /// - Throws: `CommandFailure` if the record cannot be read.
  mutating func apply(_ record: borrowing RecordView) throws {
    if record.sequence != sequence + 1 {
      Console.remark(
        "warning: record \(record.position) has sequence number \(record.sequence) after \(sequence): "
          + "records between them are missing or redacted")
    }
    time = Timestamp(milliseconds: record.timeMilliseconds)
    do {
      try replayer.apply(time: time, tag: record.tag, payload: record.payload)
    } catch {
      throw CommandFailure(
        .damagedData, "record \(record.position) (event tag \(record.tag)) cannot be read: \(error)")
    }
    records += 1
    position = record.position
    sequence = record.sequence
  }

  /// The state after the records so far.
  /// - Parameter mask: nil: keys are shown.
  func stateJSON(mask: KeyMask?) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = Array(try encoder.encode(replayer.state))
    return try mask?.masked(json, of: entity.kind) ?? json
  }

  /// Where the history is and what the state is there.
  func write(into object: inout JSONObjectWriter, mask: KeyMask?) throws {
    object.member("position", position)
    object.member("sequence", sequence)
    object.member("time", time.iso8601Milliseconds)
    object.member("records", records)
    object.member("state", RawJSON(try stateJSON(mask: mask)))
  }
}
