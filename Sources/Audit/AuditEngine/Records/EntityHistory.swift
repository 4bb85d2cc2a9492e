public import EngineKit
public import EventSourcing
public import JSONEnvelope
public import JournalFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why an entity's state cannot be rebuilt.
public enum EntityHistoryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// This version does not know the kind.
  case unknownKind(EntityKind)
  /// This version cannot read the record.
  case unreadable(position: UInt64, tag: EventTag, reason: String)

  public var description: String {
    switch self {
    case .unknownKind(let kind): "this version does not know the kind \(kind.label)"
    case .unreadable(let position, let tag, let reason):
      "record \(position) (event tag \(tag)) cannot be read: \(reason)"
    }
  }
}

/// Rebuilds one entity from its records, by the same deciders as the server's.
public struct EntityHistory {
  public let entity: EntityID
  private var replayer: any EntityReplayer
  public private(set) var records = 0
  public private(set) var position: UInt64 = 0
  public private(set) var sequence: UInt64 = 0
  public private(set) var time = Timestamp.epoch
  /// Times that records are missing or redacted between two that were applied.
  public private(set) var gaps = 0

  /// - Throws: `unknownKind`.
  public init(_ entity: EntityID, in catalogue: Catalogue) throws(EntityHistoryError) {
    guard let replayer = catalogue[entity.kind]?.replayer() else { throw .unknownKind(entity.kind) }
    self.entity = entity
    self.replayer = replayer
  }

  public func isOfEntity(_ record: borrowing RecordView) -> Bool {
    record.kind == entity.kind.rawValue && !record.isRedacted && record.key.elementsEqual(entity.key.utf8)
  }

  /// Applies the entity's next record.
  ///
  /// - Returns: the sequence number of the record before, if records between them are missing or redacted.
  /// - Throws: `unreadable`.
  @discardableResult
  public mutating func apply(_ record: borrowing RecordView) throws(EntityHistoryError) -> UInt64? {
    let before = sequence
    time = Timestamp(milliseconds: record.timeMilliseconds)
    do {
      try replayer.apply(time: time, tag: record.tag, payload: record.payload)
    } catch {
      throw .unreadable(position: record.position, tag: record.tag, reason: "\(error)")
    }
    records += 1
    position = record.position
    sequence = record.sequence
    guard record.sequence != before + 1 else { return nil }
    gaps += 1
    return before
  }

  /// The state after the records so far.
  /// - Parameter mask: nil: keys are shown.
  public func stateJSON(mask: KeyMask?) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = Array(try encoder.encode(replayer.state))
    return try mask?.masked(json, of: entity.kind) ?? json
  }

  /// Where the history is and what the state is there.
  public func write(into object: inout JSONObjectWriter, mask: KeyMask?) throws {
    object.member("position", position)
    object.member("sequence", sequence)
    object.member("time", time.iso8601Milliseconds)
    object.member("records", records)
    object.member("state", RawJSON(try stateJSON(mask: mask)))
  }

  /// What differs between this state and a later one of the same entity.
  public func difference(to later: EntityHistory, mask: KeyMask?) throws -> StateDiff {
    let limits = JSONLimits(documentBytesMaximum: .max)
    return StateDiff(
      from: try JSONValue(parsing: try stateJSON(mask: mask), limits: limits),
      to: try JSONValue(parsing: try later.stateJSON(mask: mask), limits: limits))
  }

  /// How people are shown the entity: `kind:key`.
  public func label(mask: KeyMask?) -> String {
    mask.map { "\(entity.kind.label):\($0.masked(id: entity.key, of: entity.kind))" } ?? "\(entity)"
  }
}
