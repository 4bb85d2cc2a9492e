import EngineKit
package import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat

/// A page of records.
package struct RecordPage: Sendable {
  /// Each the text of a JSON object; see `RecordLine`.
  package var records: [[UInt8]] = []
  /// The next page stands behind this record; nil once all is there that is on the disk.
  package var next: UInt64?
  /// The journal was searched up to this record.
  package var searchedTo: UInt64 = 0
  /// The last record on the disk when the page was begun.
  package var head: UInt64 = 0
}

/// Which records are wanted; all that is given must hold.
package struct RecordQuestion: Sendable {
  package var entity: EntityID?
  package var kind: EntityKind?

  package init(entity: EntityID? = nil, kind: EntityKind? = nil) {
    self.entity = entity
    self.kind = kind
  }

  func accepts(_ record: borrowing RecordView) -> Bool {
    if let kind, record.kind != kind.rawValue { return false }
    guard let entity else { return true }
    return record.kind == entity.kind.rawValue && !record.isRedacted && record.key.elementsEqual(entity.key.utf8)
  }
}

extension JournalAudit {
  /// Records behind `after`, as `carillon journal dump` prints them. May hold nothing and still have a next page.
  /// - Throws: `JournalAuditError`, `JournalError`.
  package func records(
    _ question: RecordQuestion, after: UInt64, limit: Int, mask: KeyMask?
  ) async throws -> RecordPage {
    let head = try head()
    let (reader, catalogue, milliseconds) = (partition.reader, catalogue, limits.journalReadMillisecondsMaximum)
    return try await reading {
      let line = RecordLine(catalogue, mask: mask)
      var page = RecordPage(searchedTo: after, head: head)
      guard after < head else { return page }
      var time = ReadingTime(milliseconds: milliseconds)
      var isStopped = false
      try reader.read(from: after + 1) { record in
        guard record.position <= head else { return false }
        if question.accepts(record) { page.records.append(JSONWriter.object { line.write(record, into: &$0) }) }
        page.searchedTo = record.position
        isStopped = page.records.count >= limit || time.isOver()
        return !isStopped
      }
      if !isStopped { page.searchedTo = head }
      if page.searchedTo < head { page.next = page.searchedTo }
      return page
    }
  }

  /// The state of an entity at a moment, rebuilt from its records, as a JSON object.
  /// - Parameter at: included; nil for now.
  /// - Throws: `JournalAuditError`, `JournalError`.
  package func state(of entity: EntityID, at: JournalBound?, mask: KeyMask?) async throws -> [UInt8] {
    try await replaying(entity, until: [at]) { histories in
      try JSONWriter.object { object in
        object.member("entity", histories[0].label(mask: mask))
        try histories[0].write(into: &object, mask: mask)
      }
    }
  }

  /// What changed in an entity between two moments, as a JSON object.
  /// - Throws: `JournalAuditError`, `JournalError`.
  package func difference(
    of entity: EntityID, from: JournalBound, to: JournalBound?, mask: KeyMask?
  ) async throws -> [UInt8] {
    try await replaying(entity, until: [from, to]) { histories in
      let diff = try histories[0].difference(to: histories[1], mask: mask)
      return try JSONWriter.object { object in
        object.member("entity", histories[1].label(mask: mask))
        try object.object("before") { try histories[0].write(into: &$0, mask: mask) }
        try object.object("after") { try histories[1].write(into: &$0, mask: mask) }
        object.array("changes") { diff.write(into: &$0) }
      }
    }
  }

  /// - Parameters:
  ///   - bounds: moments, the earliest first.
  ///   - body: gets the entity's history up to each of them.
  private func replaying<Value: Sendable>(
    _ entity: EntityID, until bounds: [JournalBound?], _ body: @escaping @Sendable ([EntityHistory]) throws -> Value
  ) async throws -> Value {
    // What is of no known kind lies nowhere.
    guard catalogue[entity.kind] != nil else { throw JournalAuditError.history(.unknownKind(entity.kind)) }
    let partition = partitions[entity]
    let head = try head(of: partition)
    let (reader, catalogue, milliseconds) = (partition.reader, catalogue, limits.journalReplayMillisecondsMaximum)
    return try await reading {
      do {
        let begun = try EntityHistory(entity, in: catalogue)
        var histories = bounds.map { _ in begun }
        var time = ReadingTime(milliseconds: milliseconds)
        try reader.read(from: 1) { record in
          guard record.position <= head else { return false }
          guard !time.isOver() else { throw JournalAuditError.tooLong(seconds: Int(milliseconds / 1_000)) }
          let (position, moment) = (record.position, Timestamp(milliseconds: record.timeMilliseconds))
          // A moment is no place: a later record may have an earlier time.
          if bounds.allSatisfy({ if case .position(let last) = $0 { position > last } else { false } }) { return false }
          guard begun.isOfEntity(record) else { return true }
          for (index, bound) in bounds.enumerated() where bound?.isBefore(position: position, time: moment) != true {
            try histories[index].apply(record)
          }
          return true
        }
        guard histories.last.map({ $0.records > 0 }) ?? false else { throw JournalAuditError.nothingFound }
        return try body(histories)
      } catch let error as EntityHistoryError {
        throw JournalAuditError.history(error)
      }
    }
  }
}
