import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Segments that are copied as files")
struct SegmentInstallationTests {
  private static let source = Result { try CopySource.make() }
  private static let directory = TestJournal.directory

  /// The copy of the first segments.
  private static func copy(_ source: CopySource, of numbers: ClosedRange<UInt64>) -> FaultyStorage {
    let storage = FaultyStorage()
    for number in numbers { storage.put(source.files[CopySource.name(number)] ?? [], CopySource.name(number)) }
    return storage
  }

  /// Copies a file to its place, and has it installed.
  @discardableResult
  private static func install(
    _ bytes: [UInt8], as path: FilePath, number: UInt64, id: SegmentID, after end: CopyEnd? = nil,
    on storage: FaultyStorage
  ) throws -> CopyEnd {
    let file = try FileCopy(path, byteCount: bytes.count, storage: storage)
    for piece in stride(from: 0, to: bytes.count, by: 5000) {
      try bytes[piece..<min(piece + 5000, bytes.count)].withUnsafeBytes { try file.append($0) }
    }
    #expect(file.missingByteCount == 0)
    try file.synchronize()
    return try SegmentInstallation(directory: directory, storage: storage).install(
      file, number: number, id: id, after: end)
  }

  private static func id(_ bytes: [UInt8]) throws -> SegmentID {
    try bytes.withUnsafeBytes { try SegmentHeader.decode($0).header.id }
  }

  /// Segment 2 as the source packs it.
  private static func packed(_ source: CopySource) throws -> [UInt8] {
    let storage = copy(source, of: 1...3)
    let report = try SegmentPacker(directory: directory, storage: storage).pack()
    #expect(report.failure == nil && report.segments == [1, 2])
    return try #require(storage.files["000000000002.packed"])
  }

  @Test("one after the other make the journal, and the writer goes on behind them")
  func catchUp() throws {
    let source = try Self.source.get()
    let storage = FaultyStorage()
    var end: CopyEnd?
    for number in [1, 2] as [UInt64] {
      let bytes = try #require(source.files[CopySource.name(number)])
      end = try Self.install(
        bytes, as: Self.directory.appending(CopySource.name(number)), number: number, id: Self.id(bytes), after: end,
        on: storage)
    }
    let writer = try storage.openCopy()
    #expect(writer.end == end)
    try source.send(to: writer, pieceByteCount: 1000)
    writer.close()
    #expect(storage.segmentFiles == source.files)
  }

  @Test("take the place of what the copy has of them: a part, or another form")
  func replaces() throws {
    let source = try Self.source.get()
    let packed = try Self.packed(source)
    let bytes = try #require(source.files[secondSegment])
    let half = Self.copy(source, of: 1...2)
    half.update(secondSegment) { file in for index in 6000..<file.count { file[index] = 0 } }
    let path = Self.directory.appending("archive").appending("000000000002.packed")
    let end = try Self.install(packed, as: path, number: 2, id: Self.id(bytes), on: half)
    #expect(half.files[secondSegment] == nil && half.files["archive/000000000002.packed"] == packed)
    let writer = try half.openCopy()
    #expect(writer.end?.position == end.position && writer.end?.chainHash == end.chainHash)
    try source.send(to: writer, pieceByteCount: 1000)
    writer.close()
    #expect(try readBack(half) == sampleRecords(CopySource.recordCount))
  }

  @Test("are refused if they are not what belongs there, and nothing is changed")
  func refusals() throws {
    let source = try Self.source.get()
    let bytes = try #require(source.files[secondSegment])
    let path = Self.directory.appending(secondSegment)
    let id = try Self.id(bytes)
    let end = try Self.copy(source, of: 1...1).openCopy().end
    var flipped = bytes
    flipped[5000] ^= 1
    let open = Array(bytes[..<6000]) + [UInt8](repeating: 0, count: bytes.count - 6000)
    let cases: [(bytes: [UInt8], id: SegmentID, name: String)] = [
      (flipped, id, secondSegment), (Array(bytes[..<9000]), id, secondSegment), (open, id, secondSegment),
      (bytes, SegmentID(high: 1, low: 2), secondSegment), (bytes, id, "000000000003.segment"),
      (bytes, id, "tokens.json"), (bytes, id, "000000000002.packed"),
    ]
    for (number, item) in cases.enumerated() {
      let storage = Self.copy(source, of: 1...1)
      #expect(throws: JournalError.self, "case \(number)") {
        try Self.install(
          item.bytes, as: Self.directory.appending(item.name), number: item.name.hasSuffix("3.segment") ? 3 : 2,
          id: item.id, after: end, on: storage)
      }
      #expect(storage.segmentFiles.count == 1)
    }
    let storage = Self.copy(source, of: 1...1)
    let other = CopyEnd(
      segment: 1, segmentID: id, offset: 0, position: try #require(end).position, chainHash: .zero, epoch: 1,
      isSealed: true)
    #expect(throws: JournalError.historyChanged(path)) {
      try Self.install(bytes, as: path, number: 2, id: id, after: other, on: storage)
    }
    // Between two neighbours, one of which continues another history.
    let changed = Self.copy(source, of: 2...3)
    changed.update("000000000003.segment") { file in
      file[100] ^= 1
      file.replaceSubrange(4092..<4096, with: file.withUnsafeBytes { SegmentHeaderChecksum.compute($0) })
    }
    #expect(throws: JournalError.historyChanged(path)) {
      try Self.install(bytes, as: path, number: 2, id: id, on: changed)
    }
  }

  @Test("that the original has deleted go, the oldest first")
  func removal() throws {
    let source = try Self.source.get()
    let storage = Self.copy(source, of: 1...3)
    try SegmentInstallation(directory: Self.directory, storage: storage).remove(before: 3)
    #expect(storage.segmentFiles.keys.sorted() == ["000000000003.segment"])
    let installation = SegmentInstallation(directory: Self.directory, storage: storage)
    #expect(try installation.paths() == [3: Self.directory.appending("000000000003.segment")])
  }
}
