import JournalFormat
import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite("Journal, start from a point")
struct StartingPointTests {
  /// A journal of many segments, and every durable point of it.
  private static func written(
    _ count: Int = 600, seed: UInt64 = 11, segmentByteCount: Int = 16 * 1024
  ) throws -> (storage: FaultyStorage, points: [JournalPoint]) {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: segmentByteCount) {
      $0.isStepped = true
      $0.randomBytes = predictableBytes(seed: seed)
    }
    var points = [journal.writer.durablePoint]
    for start in stride(from: 0, to: count, by: 6) {
      try journal.writer.append(sampleRecords(6, from: start))
      journal.writer.step(confirming: start % 18 == 0)
      points.append(journal.writer.durablePoint)
      if start % 150 == 0 { points.append(try journal.writer.roll()) }
    }
    try journal.writer.close()
    points.append(journal.writer.durablePoint)
    return (storage, points)
  }

  private static func start(_ storage: FaultyStorage, at point: JournalPoint?) throws -> TestJournal {
    try TestJournal(storage, segmentByteCount: 16 * 1024) {
      $0.isStepped = true
      $0.startingPoint = point
    }
  }

  @Test("from every point exactly the records behind it are replayed, with the older segments or without")
  func everyPoint() throws {
    let (storage, points) = try Self.written()
    #expect(Set(points.map(\.segmentNumber)).count > 4)
    let files = storage.files
    for point in points {
      for keepsOlder in [true, false] {
        let copy = FaultyStorage(
          files: keepsOlder ? files : files.filter { !$0.key.hasSuffix(".segment") || $0.key >= name(point) })
        let journal = try Self.start(copy, at: point)
        #expect(journal.replayed == Array(sampleRecords(600)[Int(point.position)...]))
        #expect(journal.writer.lastPosition == 600)
        try journal.writer.close()
      }
    }
  }

  @Test("frames that refer to bytes before the point are read all the same")
  func linkedBlocks() throws {
    let (storage, points) = try Self.written(3000, segmentByteCount: 1024 * 1024)
    for index in stride(from: 0, to: points.count, by: 13) {
      let point = points[index]
      let journal = try TestJournal(storage.crashed(), segmentByteCount: 1024 * 1024) {
        $0.isStepped = true
        $0.startingPoint = point
      }
      #expect(journal.replayed == Array(sampleRecords(3000)[Int(point.position)...]))
    }
  }

  @Test("a seal is known from the next segment's header alone; any other point needs its segment")
  func archivedSegment() throws {
    let (storage, points) = try Self.written()
    let files = storage.files
    var seals = 0
    for point in points where point.segmentNumber < 4 {
      let copy = FaultyStorage(files: files.filter { !$0.key.hasSuffix(".segment") || $0.key > name(point) })
      do {
        let journal = try Self.start(copy, at: point)
        #expect(journal.replayed == Array(sampleRecords(600)[Int(point.position)...]))
        seals += 1
      } catch let error as JournalError {
        #expect(error == .missingSegment(TestJournal.directory.appending(name(point))))
      }
    }
    #expect(seals > 0)
  }

  @Test("a point of another journal is refused, and nothing is changed")
  func foreign() throws {
    let (storage, points) = try Self.written()
    let (other, _) = try Self.written(seed: 12)
    let files = other.files
    for point in points {
      #expect(throws: JournalError.foreignStartingPoint(file: TestJournal.directory.appending(name(point)))) {
        try Self.start(other, at: point)
      }
    }
    #expect(other.files == files)
    // The same segments, another history in the last one: a copy that went its own way.
    let point = try #require(points.last)
    let fork = storage.crashed()
    let start = try #require(points.last { $0.position == 594 })
    fork.update(name(point)) { bytes in
      let offset = bytes.withUnsafeBytes { bytes -> Int in
        guard var scanner = try? SegmentScanner(bytes) else { return 0 }
        while scanner.chainHash != start.chainHash, (try? scanner.next()) != nil {}
        return scanner.offset
      }
      for index in offset..<bytes.count { bytes[index] = 0 }
    }
    let journal = try TestJournal(fork, segmentByteCount: 16 * 1024) { $0.randomBytes = predictableBytes(seed: 13) }
    try journal.write(sampleRecords(12, from: 594), unit: 6)
    try journal.writer.close()
    #expect(throws: JournalError.foreignStartingPoint(file: TestJournal.directory.appending(name(point)))) {
      try Self.start(fork, at: point)
    }
  }

  @Test("a position in the middle of a frame is no point")
  func middleOfFrame() throws {
    let (storage, points) = try Self.written()
    var point = points[40]
    point.position += 1
    #expect(throws: JournalError.foreignStartingPoint(file: TestJournal.directory.appending(name(point)))) {
      try Self.start(storage, at: point)
    }
  }

  @Test("a journal that ends before the point has its own error, and nothing is changed")
  func shorter() throws {
    let (storage, points) = try Self.written()
    let point = try #require(points.last)
    let directory = TestJournal.directory
    let without = FaultyStorage(files: storage.files.filter { $0.key != name(point) })
    let before = without.files
    #expect(throws: JournalError.startingPointBeyondEnd(directory: directory, point: 600, end: 0)) {
      try Self.start(without, at: point)
    }
    #expect(without.files == before)
    let cut = storage.crashed()
    cut.update(name(point)) { bytes in
      for index in 4500..<bytes.count { bytes[index] = 0 }
    }
    let files = cut.files
    #expect { try Self.start(cut, at: point) } throws: { error in
      guard case JournalError.startingPointBeyondEnd(directory, 600, let end) = error else { return false }
      return end < 600
    }
    #expect(cut.files == files)
    #expect(throws: JournalError.startingPointBeyondEnd(directory: directory, point: 600, end: 0)) {
      try Self.start(FaultyStorage(), at: point)
    }
  }

  @Test("from every point also when the older segments lie in the archive, plain or packed, even the last one")
  func archived() throws {
    let (storage, points) = try Self.written()
    let last = try #require(points.last)
    // Ends in a seal, so that the last segment too may lie elsewhere.
    let journal = try Self.start(storage, at: nil)
    let seal = try journal.writer.roll()
    try journal.writer.close()
    let files = storage.files.filter { $0.key.hasSuffix(".segment") && $0.key <= name(last) }
    var archive: [String: [UInt8]] = [:]
    for (index, (name, bytes)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
      let stem = name.dropLast(".segment".count)
      if index % 2 == 0 {
        archive["archive/\(stem).segment"] = bytes
      } else {
        archive["archive/\(stem).packed"] = try bytes.withUnsafeBytes {
          // Kept: its bytes go with it.
          let packed = try PackedSegmentEncoder.pack($0)
          return Array(packed.bytes)
        }
      }
    }
    for point in points.enumerated().filter({ $0.offset % 5 == 0 }).map(\.element) + [seal] {
      let copy = FaultyStorage(files: archive)
      let journal = try Self.start(copy, at: point)
      #expect(journal.replayed == Array(sampleRecords(600)[Int(point.position)...]))
      try journal.writer.append(sampleRecords(3, from: 600))
      try journal.writer.close()
      #expect(try readBack(copy) == sampleRecords(603))
    }
    let whole = try Self.start(FaultyStorage(files: archive), at: nil)
    #expect(whole.replayed == sampleRecords(600))
    try whole.writer.close()
  }

  private func name(_ point: JournalPoint) -> String { Self.name(point) }

  private static func name(_ point: JournalPoint) -> String {
    let digits = String(point.segmentNumber)
    return String(repeating: "0", count: 12 - digits.count) + digits + ".segment"
  }
}
