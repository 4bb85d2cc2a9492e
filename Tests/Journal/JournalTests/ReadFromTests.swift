import JournalFormat
import TestSupport
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

  /// Three segments of 12 MiB, each frame of up to 300 KB, many of them referring to what stands before.
  private static func longSegments(isPacked: Bool = false) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 12 * 1024 * 1024)
    var generator = SeededGenerator(seed: 5)
    for number in 0..<250 {
      let count = Int.random(in: 1...6, using: &generator)
      let unit = (0..<count).map { index in
        let noise = (0..<Int.random(in: 1...6_000, using: &generator)).map { _ in generator.next() }
        return PendingRecord(
          kind: 1, key: "\(number)", sequence: UInt64(index), timeMilliseconds: 1_700_000_000_000, tag: 7,
          payload: noise.withUnsafeBytes { Array($0) })
      }
      try journal.write(unit, unit: count)
    }
    try journal.writer.close()
    if isPacked { _ = try SegmentPacker(directory: TestJournal.directory, storage: storage).pack() }
    return storage
  }

  @Test("in the midst of a long segment a record is found, and all behind it", arguments: [false, true])
  func midst(isPacked: Bool) throws {
    let reader = Self.reader(try Self.longSegments(isPacked: isPacked))
    #expect(try reader.segmentCount() == 2)
    var all: [PendingRecord] = []
    try reader.forEachRecord { all.append(PendingRecord($0)) }
    for position in 1...all.count {
      var found: PendingRecord?
      try reader.read(from: UInt64(position)) { record in
        #expect(record.position == UInt64(position))
        found = PendingRecord(record)
        return false
      }
      #expect(found == all[position - 1])
    }
    for position in stride(from: 1, to: all.count, by: 97) {
      var rest: [PendingRecord] = []
      try reader.read(from: UInt64(position)) { record in
        rest.append(PendingRecord(record))
        return true
      }
      #expect(rest == Array(all[(position - 1)...]))
    }
  }

  @Test("of long segments too no frame is told twice, the seal of the last one neither", arguments: [false, true])
  func framesOnce(isPacked: Bool) throws {
    let storage = try Self.longSegments(isPacked: isPacked)
    let reader = Self.reader(storage)
    var whole: [FrameHeader] = []
    try reader.walk(frame: { whole.append($0.header) })
    for start in stride(from: 0, to: whole.count, by: 41) where !whole[start].isEmpty {
      var told: [FrameHeader] = []
      try reader.read(from: whole[start].firstPosition, frame: { told.append($0.header) }, record: { _ in true })
      #expect(told.map(\.firstPosition) == whole[start...].map(\.firstPosition))
    }
  }

  @Test("what is damaged long before a record in the same segment is not read on the way to it")
  func damageBefore() throws {
    let storage = try Self.longSegments()
    storage.update(firstSegment) { $0[8_000] ^= 1 }
    let reader = Self.reader(storage)
    var last: UInt64 = 0
    try reader.read(from: 500) { record in
      last = record.position
      return record.position < 520
    }
    #expect(last == 520)
    #expect(throws: JournalError.self) { try reader.read(from: 1) { _ in true } }
  }
}
