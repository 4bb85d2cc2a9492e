import Journal
import JournalFormat

/// The index of records, by their keys.
extension Upkeep {
  private static let terms: RecordIndex.Terms = { record, key in
    record.isRedacted ? [] : [key.hash(space: 1, record.keyText)]
  }
  /// Parts of a few records.
  private static let pairsMaximum = 40

  private var recordIndex: RecordIndex { RecordIndex(directory: SteppedJournal.directory, storage: storage) }

  /// Makes what it lacks.
  ///
  /// - Parameter position: of the last record on the disk.
  /// - Throws: `JournalError`.
  func index(upTo position: UInt64) throws(JournalError) { try extend(recordIndex, upTo: position) }

  private func extend(_ index: RecordIndex, upTo position: UInt64) throws(JournalError) {
    while try index.extend(
      upTo: position, recordsMinimum: 1, pairsMaximum: Self.pairsMaximum,
      randomBytes: SteppedJournal.predictableBytes(seed: 7), terms: Self.terms
    ).hasMore {}
  }

  /// What a crash has left of it: it may be short, or doubtful, but never wrong. Nil, or what is wrong.
  ///
  /// - Throws: `JournalError`, `StorageError`.
  func judgeIndex(_ found: [FoundRecord]) throws -> String? {
    do {
      return try compare(recordIndex, found).wrong
    } catch is RecordIndexError {
      return nil
    }
  }

  /// Makes it whole, and compares. Nil, or what is wrong.
  ///
  /// - Throws: `JournalError`, `StorageError`.
  func checkIndex(_ found: [FoundRecord]) throws -> String? {
    let (index, last) = (recordIndex, found.last?.position ?? 0)
    // At the worst something is doubtful in each segment.
    for _ in 0...found.count {
      try extend(index, upTo: last)
      do {
        let (wrong, coveredTo) = try compare(index, found)
        return wrong ?? (coveredTo == last ? nil : "the index ends at \(coveredTo), the journal at \(last)")
      } catch RecordIndexError.doubtful(let segment) {
        index.distrust(segment)
      }
    }
    return "the index does not get whole"
  }

  /// - Throws: `RecordIndexError` too.
  private func compare(_ index: RecordIndex, _ found: [FoundRecord]) throws -> (wrong: String?, coveredTo: UInt64) {
    guard let view = try index.look() else { return (nil, 0) }
    for key in SampleRecords.keys {
      let expected = found.filter { !$0.isRedacted && $0.record.key == key && $0.position <= view.coveredTo }
      let positions = try view.positions(of: [view.key.hash(space: 1, key)])
      guard positions == expected.map(\.position) else { return ("the index has other records of \(key)", 0) }
      var read: [UInt64] = []
      try view.read(at: positions[...]) { record in
        read.append(record.position)
        return record.keyText == key
      }
      guard read == positions else { return ("the index reads other records of \(key)", 0) }
    }
    return (nil, view.coveredTo)
  }
}
