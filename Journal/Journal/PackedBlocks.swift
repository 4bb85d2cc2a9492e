internal import JournalFormat

/// The blocks of a packed segment, in order, each expanded by itself.
struct PackedBlocks: ~Copyable {
  let header: PackedHeader
  private let file: any StorageFile
  private var head = PageBuffer()
  private var offset = PackedHeader.byteCount
  /// The checksum from which that of the next block continues.
  private var seed: UInt32

  /// - Throws: `FormatError` if no packed segment begins so; `StorageError`.
  init(_ file: any StorageFile) throws {
    self.file = file
    let room = head.prepare(PackedHeader.byteCount)
    guard try file.readAll(into: room, at: 0) == room.count else { throw FormatError.headerIncomplete }
    (header, seed) = try PackedHeader.decode(UnsafeRawBufferPointer(room))
  }

  /// The next block that ends behind `position`, as a segment that holds nothing else.
  ///
  /// - Returns: nil if there is none.
  /// - Throws: `FormatError`, `StorageError`.
  mutating func next(
    with position: UInt64, into image: inout SegmentImage
  ) throws -> (scanner: SegmentScanner, endPosition: UInt64)? {
    while offset < header.fileByteCount {
      let room = head.prepare(PackedBlockExtent.headByteCount)
      guard try file.readAll(into: room, at: offset) == room.count,
        let block = PackedBlockExtent(UnsafeRawBufferPointer(room))
      else { throw FormatError.blockDamaged }
      let (start, before) = (offset, seed)
      offset += block.byteCount
      seed = block.checksum
      guard position < block.endPosition else { continue }
      try image.load(block, at: start, of: file, header, seed: before)
      return (try SegmentScanner(image.bytes), block.endPosition)
    }
    return nil
  }
}
