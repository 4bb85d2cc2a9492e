internal import JournalFormat
internal import SystemPackage

/// One file of the record index as it is read: what its header and the rows of its parts say. The blocks with the terms
/// stay on the disk.
struct RecordIndexFile: Sendable {
  let path: FilePath
  let header: RecordIndexHeader
  /// In order, each with the place where it begins.
  private(set) var parts: [(part: RecordIndexPart, offset: Int)] = []
  /// Where the next part goes, and the checksum from which its own continues.
  private(set) var endOffset = RecordIndexHeader.byteCount
  private(set) var checksum: UInt32

  /// Reads as many parts as are whole.
  /// - Returns: nil if there is no file, or none that can be believed.
  init?(_ path: FilePath, on storage: any JournalStorage, key: RecordIndexKey) throws(StorageError) {
    guard let file = try storage.openIfThere(path) else { return nil }
    defer { file.close() }
    var buffer = PageBuffer()
    let size = try file.size()
    guard try Self.read(RecordIndexHeader.byteCount, at: 0, of: file, size, &buffer),
      let (header, seed) = RecordIndexHeader.decode(buffer.bytes), header.keyCheck == key.check
    else { return nil }
    (self.path, self.header, checksum) = (path, header, seed)
    while !isFinal {
      guard try Self.read(RecordIndexPart.headByteCount, at: endOffset, of: file, size, &buffer),
        let rows = RecordIndexPart.rowsByteCount(head: buffer.bytes),
        try Self.read(rows, at: endOffset, of: file, size, &buffer),
        let (part, next) = RecordIndexPart.decode(buffer.bytes, seed: checksum),
        part.firstPosition == endPosition, part.byteCount <= size - endOffset
      else { break }
      parts.append((part, endOffset))
      endOffset += part.byteCount
      checksum = next
    }
  }

  /// - Returns: false if the file ends before.
  private static func read(
    _ count: Int, at offset: Int, of file: any StorageFile, _ size: Int, _ buffer: inout PageBuffer
  ) throws(StorageError) -> Bool {
    guard count <= size - offset else { return false }
    return try file.readAll(into: buffer.prepare(count), at: offset) == count
  }

  /// Forgets parts with records behind `position`; nothing may be added any more.
  mutating func end(at position: UInt64) { parts.removeAll { $0.part.endPosition - 1 > position } }

  /// The position after the last record that it knows.
  var endPosition: UInt64 { parts.last?.part.endPosition ?? header.firstPosition }
  /// Whether it is of a whole sealed segment.
  var isFinal: Bool { parts.last?.part.isFinal ?? false }
  var hasPackedParts: Bool { parts.contains { $0.part.isPacked } }
  /// All of it was made of the packed segment.
  var isOfPacked: Bool { parts.allSatisfy { $0.part.isPacked } }

  var restartPoints: [RecordIndexPart.RestartPoint] { parts.flatMap(\.part.restartPoints) }

  /// Adds the positions of the records that have one of the terms.
  /// - Throws: `RecordIndexError.doubtful` if a block is not what was written.
  func find(_ terms: [UInt64], on storage: any JournalStorage, _ found: inout Set<UInt64>) throws {
    let file = try storage.open(path, .read)
    defer { file.close() }
    var buffer = PageBuffer()
    for (part, offset) in parts {
      for term in terms {
        guard let block = part.block(of: term) else { continue }
        let room = buffer.prepare(block.count)
        guard try file.readAll(into: room, at: offset + block.lowerBound) == block.count,
          let positions = part.positions(of: term, in: UnsafeRawBufferPointer(room))
        else { throw RecordIndexError.doubtful(header.segmentNumber) }
        found.formUnion(positions)
      }
    }
  }
}

/// Why the record index does not answer.
public enum RecordIndexError: Error, Equatable, Sendable {
  /// What it says of this segment is not to be believed, or does not fit what is there: it is to be made anew.
  case doubtful(UInt64)
  /// It does not know any more what it knew.
  case gone
  /// More records have such a term than were wanted.
  case tooMany
}
