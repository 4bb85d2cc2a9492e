import Foundation
import JournalFormat
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite("A copy of a journal that is being written")
struct CopyWriterTests {
  private static let source = Result { try CopySource.make() }

  @Test("has the same files, however the bytes come", arguments: [7, 88, 1000, 4096, 100_000])
  func pieces(pieceByteCount: Int) throws {
    let source = try Self.source.get()
    let storage = FaultyStorage()
    let writer = try storage.openCopy()
    #expect(writer.end == nil && writer.segments.isEmpty)
    try source.send(to: writer, pieceByteCount: pieceByteCount)
    #expect(storage.segmentFiles == source.files)
    #expect(writer.durableEnd == writer.end)
    #expect(writer.segments.map(\.number) == [1, 2, 3])
    #expect(writer.end?.position == UInt64(CopySource.recordCount))
    writer.close()
    #expect(try readBack(storage) == sampleRecords(CopySource.recordCount))
    #expect(storage.files["next.preallocating"] == nil)
  }

  @Test("holds whole frames only, at every byte that has come")
  func wholeFrames() throws {
    let source = try Self.source.get()
    let (bytes, ends) = (try source.bytes(of: 1), try source.frameEnds(of: 1))
    let storage = FaultyStorage()
    let writer = try storage.openCopy()
    var wrong: [Int] = []
    for offset in bytes.indices {
      try writer.take([bytes[offset]], segment: 1, offset: offset)
      let end = ends.last { $0 <= offset + 1 }
      if writer.end?.offset != end { wrong.append(offset) }
      guard let end, let file = storage.files[firstSegment] else { continue }
      if file != Array(bytes[..<end]) + [UInt8](repeating: 0, count: 16 * 1024 - end) { wrong.append(offset) }
    }
    #expect(wrong == [])
    #expect(writer.end?.isSealed == true)
  }

  /// A copy of the first segments, of whose last one so many bytes have reached the disk.
  private static func cut(_ source: CopySource, _ number: UInt64, at count: Int) throws -> FaultyStorage {
    let storage = FaultyStorage()
    for earlier in 1..<number { storage.put(source.files[CopySource.name(earlier)] ?? [], CopySource.name(earlier)) }
    let bytes = try source.bytes(of: number)
    storage.put(
      Array(bytes[..<count]) + [UInt8](repeating: 0, count: 16 * 1024 - count), CopySource.name(number))
    return storage
  }

  @Test("that was cut off anywhere goes on behind its last whole frame, and becomes the same")
  func everyCut() throws {
    let source = try Self.source.get()
    let (bytes, ends) = (try source.bytes(of: 3), try source.frameEnds(of: 3))
    #expect(ends.count > 5)
    var wrong: [Int] = []
    // At every byte around the ends of frames, and at some between them.
    let counts = (FormatLimits.segmentHeaderByteCount...bytes.count).filter { count in
      count % 97 == 0 || ends.contains { abs($0 - count) <= 1 }
    }
    for count in counts {
      let storage = try Self.cut(source, 3, at: count)
      let writer = try storage.openCopy()
      let end = ends.last { $0 <= count } ?? 0
      let isCut = writer.end?.offset == end && (writer.cutByteCount > 0) == (count > end)
      try source.send(to: writer, pieceByteCount: 100_000)
      writer.close()
      if !isCut || storage.segmentFiles != source.files { wrong.append(count) }
    }
    #expect(wrong == [])
  }

  @Test("the same on a real disk, at every byte of two frames")
  func everyCutOnDisk() throws {
    let source = try Self.source.get()
    let (bytes, ends) = (try source.bytes(of: 3), try source.frameEnds(of: 3))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in source.files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
    let last = folder.appendingPathComponent(CopySource.name(3))
    for count in ends[1]...ends[3] {
      try (Data(bytes[..<count]) + Data(count: 16 * 1024 - count)).write(to: last)
      let writer = try CopyWriter(directory: FilePath(folder.path))
      #expect(writer.end?.offset == ends.last { $0 <= count })
      try source.send(to: writer, pieceByteCount: 4096)
      writer.close()
      #expect(try Array(Data(contentsOf: last)) == source.files[CopySource.name(3)], "cut at \(count)")
    }
  }

  @Test("whose later frames reached the disk before an earlier one ends before that one: it was not damaged")
  func outOfOrder() throws {
    let source = try Self.source.get()
    let (bytes, ends) = (try source.bytes(of: 3), try source.frameEnds(of: 3))
    let storage = try Self.cut(source, 3, at: bytes.count)
    storage.update(CopySource.name(3)) { file in for index in ends[2]..<ends[3] { file[index] = 0 } }
    let writer = try storage.openCopy()
    #expect(writer.end?.offset == ends[2])
    #expect(writer.cutByteCount > 0)
    try source.send(to: writer, pieceByteCount: 1000)
    #expect(storage.segmentFiles == source.files)
  }

  @Test("never takes a frame with a flipped bit, and goes on once it comes right")
  func flippedBits() throws {
    let source = try Self.source.get()
    let (bytes, ends) = (try source.bytes(of: 3), try source.frameEnds(of: 3))
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      let bit = Int.random(in: (ends[1] * 8)..<(bytes.count * 8), using: &generator)
      var flipped = bytes
      flipped[bit / 8] ^= UInt8(1) << UInt8(bit % 8)
      let storage = try Self.cut(source, 3, at: ends[1])
      let writer = try storage.openCopy()
      let broken = ends.last { $0 <= bit / 8 } ?? 0
      // A length that grew waits for what never comes; all else is noticed at once.
      if (try? writer.take(Array(flipped[ends[1]...]), segment: 3, offset: ends[1])) != nil {
        #expect(writer.end?.offset == broken, "bit \(bit)")
      }
      let expected = Array(bytes[..<broken]) + [UInt8](repeating: 0, count: 16 * 1024 - broken)
      let file = try #require(storage.files[CopySource.name(3)])
      #expect(file == expected || file == Array(bytes[..<ends[1]]) + [UInt8](repeating: 0, count: 16 * 1024 - ends[1]))
      let again = try storage.openCopy()
      try source.send(to: again, pieceByteCount: 100_000)
      #expect(storage.segmentFiles == source.files)
    }
  }

  @Test("takes no bytes of another place, and none after an error")
  func outOfPlace() throws {
    let source = try Self.source.get()
    let bytes = try source.bytes(of: 3)
    for (segment, offset) in [(3, 4095), (3, 4097), (2, 4096), (4, 0), (3, 0)] as [(UInt64, Int)] {
      let writer = try Self.cut(source, 3, at: 4096).openCopy()
      #expect(throws: CopyError.outOfPlace) {
        try writer.take(Array(bytes[4096...]), segment: segment, offset: offset)
      }
      #expect(throws: CopyError.outOfPlace) { try writer.take(Array(bytes[4096...]), segment: 3, offset: 4096) }
      #expect(throws: CopyError.outOfPlace) { try writer.synchronize() }
    }
  }

  @Test("forgets what is not whole when the connection breaks, and takes it again")
  func rewind() throws {
    let source = try Self.source.get()
    let bytes = try source.bytes(of: 1)
    let storage = FaultyStorage()
    let writer = try storage.openCopy()
    try writer.take(Array(bytes[..<3000]), segment: 1, offset: 0)
    try writer.rewind()
    #expect(writer.end == nil)
    try writer.take(Array(bytes[..<6001]), segment: 1, offset: 0)
    try writer.rewind()
    let end = try #require(writer.end)
    #expect(end.offset < 6001)
    try writer.take(Array(bytes[end.offset...]), segment: 1, offset: end.offset)
    try source.send(to: writer, pieceByteCount: 4096)
    #expect(storage.segmentFiles == source.files)
  }

  @Test("takes nothing behind a seal but the next segment")
  func behindSeal() throws {
    let source = try Self.source.get()
    let bytes = try source.bytes(of: 2)
    let writer = try Self.cut(source, 2, at: 4096).openCopy()
    #expect(throws: CopyError.self) { try writer.take(Array(bytes[4096...]) + [0], segment: 2, offset: 4096) }
    let sealed = try Self.cut(source, 2, at: bytes.count).openCopy()
    #expect(sealed.end?.isSealed == true)
    #expect(throws: CopyError.outOfPlace) { try sealed.take([1], segment: 2, offset: bytes.count) }
  }

  @Test("refuses a segment of another journal, of another history, and of an epoch that falls; nothing is changed")
  func foreignSegments() throws {
    let source = try Self.source.get()
    let third = try source.bytes(of: 3)
    func changed(_ range: Range<Int>) -> [UInt8] {
      var page = Array(third[..<4096])
      for index in range { page[index] ^= 1 }
      page.replaceSubrange(4092..<4096, with: page.withUnsafeBytes { SegmentHeaderChecksum.compute($0) })
      return page
    }
    let file = TestJournal.directory.appending(CopySource.name(3))
    let cases: [(Range<Int>, JournalError)] = [
      (48..<49, .brokenSequence(file)), (64..<65, .brokenSequence(file)), (96..<97, .historyChanged(file)),
      (88..<89, .epochFell(file: file, from: 1, to: 0)),
    ]
    for (range, error) in cases {
      let storage = FaultyStorage()
      for number in [1, 2] as [UInt64] {
        storage.put(source.files[CopySource.name(number)] ?? [], CopySource.name(number))
      }
      let writer = try storage.openCopy()
      #expect(throws: CopyError.journal(error)) { try writer.take(changed(range), segment: 3, offset: 0) }
      #expect(storage.segmentFiles.count == 2)
    }
  }

  @Test("whose disk fails in any call is right up to there, and goes on once it does not")
  func failingCalls() throws {
    let source = try Self.source.get()
    let whole = FaultyStorage()
    try source.send(to: whole.openCopy(), pieceByteCount: 3000)
    let callCount = whole.state.withLock { $0.faults.callCount }
    for call in stride(from: 0, to: callCount, by: 3) {
      let storage = FaultyStorage()
      storage.set { $0.failCallAfter = call }
      _ = try? source.send(to: storage.openCopy(), pieceByteCount: 3000)
      let left = storage.crashed()
      let writer = try left.openCopy()
      try source.send(to: writer, pieceByteCount: 3000)
      writer.close()
      #expect(left.segmentFiles == source.files, "call \(call) of \(callCount)")
    }
  }

  @Test("a last segment that was cut short is told, not mended")
  func cutShort() throws {
    let source = try Self.source.get()
    let storage = try Self.cut(source, 3, at: 5000)
    storage.update(CopySource.name(3)) { $0 = Array($0[..<9000]) }
    let file = TestJournal.directory.appending(CopySource.name(3))
    #expect(throws: JournalError.cutShort(file: file, byteCount: 9000, whole: 16 * 1024)) { try storage.openCopy() }
  }

  @Test("is gone on with by a writer like any journal")
  func promoted() throws {
    let source = try Self.source.get()
    let storage = FaultyStorage()
    let writer = try storage.openCopy()
    try source.send(to: writer, pieceByteCount: 500)
    writer.close()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    #expect(journal.replayed == sampleRecords(CopySource.recordCount))
    try journal.write(sampleRecords(5, from: CopySource.recordCount))
    try journal.writer.close()
    #expect(try readBack(storage) == sampleRecords(CopySource.recordCount + 5))
  }
}

extension FaultyStorage {
  /// Puts a file there.
  func put(_ bytes: [UInt8], _ name: String) {
    state.withLock { state in
      state.files[name] = Contents(bytes)
      state.directories.insert(FilePath(name).removingLastComponent().string)
    }
  }
}
