import Journal
import JournalFormat
import SystemPackage

/// What is done to a journal beside appending: snapshots, the archive, packing, redaction, the index of records, the tree over them.
struct Upkeep {
  let storage: any JournalStorage

  static let archiveRule = RetentionRule(
    .archive, totalByteCountMaximum: 4 * SteppedJournal.segmentByteCount, neverBeyond: nil)
  private var directory: FilePath { SteppedJournal.directory }
  private var store: SnapshotStore { SnapshotStore(directory: directory, storage: storage) }

  /// A snapshot whose states say how many records it covers.
  ///
  /// - Throws: `SnapshotError`, `StorageError`.
  func snapshot(of writer: JournalWriter) throws {
    let point = writer.durablePoint
    let snapshot = try store.begin(at: point, createdMilliseconds: 1_700_000_000_000)
    for key in SampleRecords.keys {
      try snapshot.add(
        kind: 1, key: key, sequence: point.position, brief: Array(key.utf8), state: Self.state(key, point))
    }
    try snapshot.addFinished(kind: 2, key: "gone", sequence: 7)
    _ = try snapshot.finish()
    try store.prune()
  }

  private static func state(_ key: String, _ point: JournalPoint) -> [UInt8] {
    Array(repeatElement("\(key) at \(point.position); ", count: 20).joined().utf8)
  }

  /// - Throws: `JournalError`.
  func archive() throws(JournalError) {
    let report = try SegmentRetention(directory: directory, storage: storage)
      .apply(Self.archiveRule, nowMilliseconds: 1_700_000_000_000)
    if let failure = report.failure { throw failure }
  }

  /// - Throws: `JournalError`.
  func pack() throws(JournalError) {
    let report = try SegmentPacker(directory: directory, storage: storage).pack(countMaximum: 2)
    if let failure = report.failure { throw failure }
  }

  /// Erases a key up to where the journal is: intent, new segment, redaction, no snapshots, no intent.
  ///
  /// - Throws: `JournalError`, `SnapshotError`; the intent is there then, or nothing was done.
  func redact(_ key: String, in writer: JournalWriter) throws {
    try RedactionIntent(directory: directory, storage: storage).write(Array(key.utf8))
    try carryOut(key, in: writer)
  }

  /// Completes what an intent says, if there is one.
  ///
  /// - Returns: the key that was erased.
  func completeRedaction(in writer: JournalWriter) throws -> String? {
    guard let content = try RedactionIntent(directory: directory, storage: storage).read() else { return nil }
    let key = String(decoding: content, as: UTF8.self)
    try carryOut(key, in: writer)
    return key
  }

  private func carryOut(_ key: String, in writer: JournalWriter) throws {
    let position = try writer.roll().position
    let redaction = SegmentRedaction(directory: directory, storage: storage)
    _ = try redaction.redact(upTo: position) { $0.keyText == key }
    _ = try redaction.removeCutFiles()
    try store.removeAll(except: nil)
    try RedactionIntent(directory: directory, storage: storage).remove()
  }

  /// What is left of snapshots: each that has its name is whole, and a start from the newest gives the records behind it.
  ///
  /// - Throws: `SnapshotError`, `JournalError`.
  func checkSnapshots(_ replayed: [FoundRecord]) throws -> String? {
    let files = try store.all()
    for file in files {
      let snapshot = try store.open(file)
      try snapshot.verifyContents()
      var keys = 0
      var isWrong = false
      try snapshot.forEachState { entry, state in
        keys += 1
        isWrong = isWrong || (entry.isFinished ? !state.isEmpty : state != Self.state(entry.key, snapshot.info.point))
      }
      if isWrong || keys < SampleRecords.keys.count { return "\(file.path) does not hold the states it was given" }
    }
    guard let newest = files.first else { return nil }
    let point = try store.open(newest).info.point
    let start = try SteppedJournal(storage, startingPoint: point)
    try start.writer.close()
    let expected = replayed.dropFirst(Int(point.position))
    guard start.replayed.elementsEqual(expected, by: { $0.record == $1.record && $0.position == $1.position }) else {
      return "a start from \(newest.path) replays other records than the whole journal"
    }
    return nil
  }

  /// Names of files that are only worth something while they are written.
  func leftovers() throws(StorageError) -> [String] {
    try storage.list(directory).filter { name in
      [".archiving", ".packing", ".redacting", ".writing"].contains { name.hasSuffix($0) }
    }
  }
}
