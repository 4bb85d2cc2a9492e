import JournalFormat
import Testing

@testable import Journal

@Suite("Journal, reading from a position")
struct ReadFromTests {
  /// Units of one to five records over several segments.
  private static func disk(records: Int, isPacked: Bool = false) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    var rest = sampleRecords(records)[...]
    var unit = 1
    while !rest.isEmpty {
      try journal.write(Array(rest.prefix(unit)), unit: unit)
      rest = rest.dropFirst(unit)
      unit = unit % 5 + 1
    }
    try journal.writer.close()
    if isPacked { _ = try SegmentPacker(directory: TestJournal.directory, storage: storage).pack() }
    return storage
  }

  private static func reader(_ storage: FaultyStorage) -> JournalReader {
    JournalReader(directory: TestJournal.directory, storage: storage)
  }

  @Test(
    "from any position on it hands on what a whole walk does, whatever frame or segment that is in",
    arguments: [false, true])
  func anyPosition(isPacked: Bool) throws {
    let reader = Self.reader(try Self.disk(records: 1_500, isPacked: isPacked))
    #expect(try reader.segmentCount() > 3)
    var all: [PendingRecord] = []
    try reader.forEachRecord { all.append(PendingRecord($0)) }
    for position in [1, 2, 3, 499, 500, 501, 1_233, 1_234, 1_499, 1_500, 1_501] {
      var found: [PendingRecord] = []
      var next = UInt64(position)
      try reader.read(from: next) { record in
        #expect(record.position == next)
        next += 1
        found.append(PendingRecord(record))
        return true
      }
      #expect(found == Array(all[(position - 1)...]))
    }
    try reader.read(from: .max) { _ in
      Issue.record("there is no such record")
      return true
    }
  }

  @Test("it stops when enough was read, and goes on there without telling a frame twice")
  func goesOn() throws {
    let reader = Self.reader(try Self.disk(records: 700))
    var whole: [UInt64] = []
    try reader.walk(frame: { if !$0.header.isEmpty { whole.append($0.header.firstPosition) } })
    var next: UInt64 = 1
    var seen: [UInt64] = []
    var frames: [UInt64] = []
    while seen.count < 700 {
      var count = 0
      try reader.read(
        from: next, frame: { if !$0.header.isEmpty { frames.append($0.header.firstPosition) } },
        record: { record in
          seen.append(record.position)
          next = record.position + 1
          count += 1
          return count < 13
        })
      try #require(count > 0)
    }
    #expect(seen == Array(1...700))
    #expect(frames == whole)
  }

  @Test("what is damaged behind the place where it stops is not its business, and before it is")
  func damage() throws {
    let storage = try Self.disk(records: 700)
    storage.update(secondSegment) { $0[8_000] ^= 1 }
    let reader = Self.reader(storage)
    try reader.read(from: 1) { $0.position < 5 }
    #expect(throws: JournalError.self) { try reader.read(from: 1) { _ in true } }
  }
}
