import JournalFormat
import SystemPackage

@testable import Journal

/// A journal of several segments, as its primary would send it: each segment up to its last frame.
struct CopySource {
  /// By name: `000000000001.segment`.
  let files: [String: [UInt8]]
  private let numbers: [UInt64]

  /// Enough for two segments and a part of a third, which is not sealed.
  static let recordCount = 420

  static func make() throws -> CopySource {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: 16 * 1024)
    try journal.write(sampleRecords(recordCount))
    try journal.writer.close()
    return CopySource(storage)
  }

  init(_ storage: FaultyStorage) {
    files = storage.segmentFiles
    numbers = files.keys.compactMap { UInt64($0.prefix { $0 != "." }) }.sorted()
  }

  static func name(_ number: UInt64) -> String { SegmentPlace.name(number, .plain) }

  /// Without the zeros behind the last frame.
  func bytes(of number: UInt64) throws -> [UInt8] {
    let file = files[Self.name(number)] ?? []
    return try file.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      while try scanner.next() != nil {}
      return Array(bytes[..<scanner.offset])
    }
  }

  /// Where the frames of a segment end; its header first.
  func frameEnds(of number: UInt64) throws -> [Int] {
    try (files[Self.name(number)] ?? []).withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      var ends = [scanner.offset]
      while let frame = try scanner.next() { ends.append(frame.endOffset) }
      return ends
    }
  }

  /// Sends what the copy has not got, from where it ends, and has it synced after each piece.
  func send(to writer: CopyWriter, pieceByteCount: Int) throws {
    let end = writer.end
    let first = end.map { $0.isSealed ? $0.segment + 1 : $0.segment } ?? 1
    for number in numbers where number >= first {
      let bytes = try bytes(of: number)
      var offset = end.map { $0.segment == number ? $0.offset : 0 } ?? 0
      while offset < bytes.count {
        let next = min(offset + pieceByteCount, bytes.count)
        try writer.take(Array(bytes[offset..<next]), segment: number, offset: offset)
        try writer.synchronize()
        offset = next
      }
    }
  }
}

extension CopyWriter {
  func take(_ bytes: [UInt8], segment: UInt64, offset: Int) throws {
    try bytes.withUnsafeBytes { try receive($0, segment: segment, offset: offset) }
  }
}

extension FaultyStorage {
  /// Segments that lie in the journal's own directory.
  var segmentFiles: [String: [UInt8]] {
    files.filter { SegmentPlace(name: $0.key, in: TestJournal.directory, isArchived: false) != nil }
  }

  /// A copy of the journal, as it is opened after a kill.
  func openCopy() throws -> CopyWriter { try CopyWriter(stepped: TestJournal.directory, storage: self) }
}
