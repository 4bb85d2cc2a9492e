import JournalFormat
import Synchronization
import SystemPackage
import Testing

@testable import Journal

/// A closed journal of several small segments on a disk in memory, and what it says.
struct SealedJournal {
  let storage: FaultyStorage
  let records: [PendingRecord]
  let report: VerifyReport

  static let directory = TestJournal.directory
  static let segmentByteCount = 16 * 1024

  /// Frames of one to five records; every eighth record is one of `marked`, in whose payload stands `mark`.
  init(_ count: Int = 700, storage: FaultyStorage = FaultyStorage()) throws {
    self.storage = storage
    var records = sampleRecords(count)
    for index in stride(from: 3, to: count, by: 8) {
      records[index] = PendingRecord(
        kind: records[index].kind, key: Self.markedKey, sequence: records[index].sequence,
        timeMilliseconds: records[index].timeMilliseconds, tag: records[index].tag,
        payload: Self.mark + records[index].payload)
    }
    self.records = records
    let journal = try TestJournal(storage, segmentByteCount: Self.segmentByteCount)
    var rest = records[...]
    var unit = 1
    while !rest.isEmpty {
      try journal.writer.waitUntilDurable(try journal.writer.append(Array(rest.prefix(unit)), lazy: true))
      rest = rest.dropFirst(unit)
      unit = unit % 5 + 1
    }
    _ = try journal.writer.roll()
    try journal.writer.close()
    storage.state.withLock { $0.files["LOCK"] = nil }
    report = try JournalReader(directory: Self.directory, storage: storage).verify()
  }

  static let markedKey = "customer-4711"
  static let mark = Array("the secret of customer 4711 ".utf8)

  static func isMarked(_ record: borrowing RecordView) -> Bool { record.keyText == markedKey }

  /// A copy of the disk, as it is now.
  func copy() -> FaultyStorage { storage.crashed() }

  /// Fails unless the journal on `storage` verifies and is the same as this one, but for records that were redacted.
  func check(
    _ storage: FaultyStorage, archive: FilePath? = nil, redacted: Set<UInt64> = [], from first: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reader = JournalReader(directory: Self.directory, archive: archive, storage: storage)
    let found = try reader.verify()
    #expect(found.headHash == report.headHash, sourceLocation: sourceLocation)
    #expect(found.lastPosition == report.lastPosition, sourceLocation: sourceLocation)
    #expect(found.firstPosition == first, sourceLocation: sourceLocation)
    #expect(found.redactedRecords == UInt64(redacted.count), sourceLocation: sourceLocation)
    var position = first
    var isSame = true
    try reader.forEachRecord { record in
      isSame =
        isSame && record.position == position
        && (record.isRedacted
          ? redacted.contains(position) && record.kind == records[Int(position) - 1].kind
          : !redacted.contains(position) && PendingRecord(record) == records[Int(position) - 1])
      position += 1
    }
    #expect(isSame && position == report.lastPosition + 1, sourceLocation: sourceLocation)
  }

  /// Positions of the marked records, or of all for which `condition` is true.
  func positions(where condition: (PendingRecord) -> Bool = { $0.key == markedKey }) -> Set<UInt64> {
    Set(records.indices.filter { condition(records[$0]) }.map { UInt64($0) + 1 })
  }

  /// Runs `work` on copies of `start` on which the first, second, third … call of the disk fails for good, then again on
  /// what is left; each time the journal must be readable in between, and the end the same as without a failure.
  ///
  /// - Parameters:
  ///   - step: 1 for every call; of much work each so manyth.
  ///   - check: called on what is left by the failure, and at the end.
  ///   - work: throws or reports the failure; nobody looks at it.
  static func failEverywhere(
    _ start: FaultyStorage, step: Int = 1, check: (FaultyStorage, _ isAtEnd: Bool) throws -> Void,
    work: (FaultyStorage) throws -> Void
  ) throws {
    let undisturbed = start.crashed()
    try work(undisturbed)
    try check(undisturbed, true)
    let expected = undisturbed.files
    let before = undisturbed.state.withLock { $0.faults.callCount }
    let callCount = before
    for call in stride(from: 0, to: callCount, by: step) {
      let storage = start.crashed()
      storage.set { $0.failCallAfter = call }
      try? work(storage)
      let crashed = storage.crashed()
      try check(crashed, false)
      try work(crashed)
      try check(crashed, true)
      #expect(crashed.files == expected, "call \(call) of \(callCount)")
    }
  }
}
