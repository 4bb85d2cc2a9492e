/// One block of a packed segment: the frames of about 256 KiB of plain bytes (`FORMAT.md`, "Packed segment").
struct PackedBlock: Equatable {
  static let magic: UInt32 = 0x316B_5043  // "CPk1"
  static let headerByteCount = 80
  /// Flags byte, count, plain length, time, lag, and a change of epoch.
  static let rowByteCountMaximum = 1 + 5 + 5 + 10 + 10 + 5
  static let frameCountMaximum = 65_536

  var frameCount: Int
  var recordCount: Int
  var rowsByteCount: Int
  var plainByteCount: Int
  var storedByteCount: Int
  var firstPosition: UInt64
  /// From which the time of the first frame is counted.
  var timeMilliseconds: Int64
  var epoch: UInt32
  /// Chain hash of the last frame of the block.
  var chainHash: Hash256

  var saltsByteCount: Int { recordCount * FormatLimits.saltByteCount }
  var byteCount: Int { Self.headerByteCount + rowsByteCount + saltsByteCount + storedByteCount }
  /// What its frames take when they are expanded.
  var expandedByteCount: Int { frameCount * FrameHeader.byteCount + saltsByteCount + plainByteCount }

  /// Writes the header to the first 80 of `bytes`, a whole block, and seals it with the checksum.
  ///
  /// - Parameter seed: the checksum of the block before, of the file's header for the first: order is checked too.
  /// - Returns: the checksum of this block.
  func encode(into bytes: UnsafeMutableRawBufferPointer, seed: UInt32) -> UInt32 {
    precondition(bytes.count == byteCount, "the buffer is exactly the block")
    bytes.store(Self.magic, little: 0)
    bytes.store(UInt32(frameCount), little: 8)
    bytes.store(UInt32(recordCount), little: 12)
    bytes.store(UInt32(rowsByteCount), little: 16)
    bytes.store(UInt32(plainByteCount), little: 20)
    bytes.store(UInt32(storedByteCount), little: 24)
    bytes.store(epoch, little: 28)
    bytes.store(firstPosition, little: 32)
    bytes.store(timeMilliseconds, little: 40)
    if let base = bytes.baseAddress { chainHash.store(to: base + 48) }
    let checksum = UnsafeRawBufferPointer(rebasing: bytes[8...]).checksum(seed: seed)
    bytes.store(checksum, little: 4)
    return checksum
  }

  /// Reads and checks the block at `offset`; nothing is unpacked.
  ///
  /// - Throws: `blockDamaged`.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, seed: UInt32
  ) throws(FormatError) -> (block: PackedBlock, checksum: UInt32) {
    guard let block = decodeFields(bytes, at: offset) else { throw .blockDamaged }
    let checksum = bytes.slice((offset + 8)..<(offset + block.byteCount)).checksum(seed: seed)
    guard checksum == bytes.little(offset + 4, as: UInt32.self) else { throw .blockDamaged }
    return (block, checksum)
  }

  /// The same without the checksum, every field bounded: whether a block could stand there.
  static func decodeFields(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> PackedBlock? {
    guard let block = fields(bytes, at: offset) else { return nil }
    // None of the sums can overflow: each part has 36 bits at most.
    return block.byteCount <= bytes.count - offset && block.isConsistent ? block : nil
  }

  fileprivate static func fields(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> PackedBlock? {
    guard bytes.count - offset >= headerByteCount, bytes.little(offset, as: UInt32.self) == magic,
      let chainHash = Hash256(bytes.slice((offset + 48)..<(offset + 80)))
    else { return nil }
    func field(_ distance: Int) -> Int { Int(bytes.little(offset + distance, as: UInt32.self)) }
    return PackedBlock(
      frameCount: field(8), recordCount: field(12), rowsByteCount: field(16), plainByteCount: field(20),
      storedByteCount: field(24), firstPosition: bytes.little(offset + 32, as: UInt64.self),
      timeMilliseconds: bytes.little(offset + 40, as: Int64.self), epoch: bytes.little(offset + 28, as: UInt32.self),
      chainHash: chainHash)
  }

  fileprivate var isConsistent: Bool {
    frameCount > 0 && frameCount <= Self.frameCountMaximum
      && plainByteCount < FormatLimits.packedBlockByteCount + FormatLimits.frameReadPlainByteCountMaximum
      && storedByteCount <= plainByteCount && (storedByteCount == 0) == (plainByteCount == 0)
      && recordCount <= plainByteCount / FormatLimits.recordByteCountMinimum && firstPosition > 0
      && firstPosition <= UInt64.max - UInt64(recordCount)
  }
}

/// What a block of a packed segment says of itself in its first 80 bytes.
package struct PackedBlockExtent: Sendable {
  package static let headByteCount = PackedBlock.headerByteCount

  package let firstPosition: UInt64
  /// The position after its last record.
  package let endPosition: UInt64
  package let byteCount: Int
  /// From which that of the next block continues.
  package let checksum: UInt32
  /// Of a segment that holds nothing else.
  package let segmentByteCount: Int

  /// Nil if no block begins so.
  package init?(_ head: UnsafeRawBufferPointer) {
    guard let block = PackedBlock.fields(head, at: 0), block.isConsistent else { return nil }
    firstPosition = block.firstPosition
    endPosition = block.firstPosition + UInt64(block.recordCount)
    byteCount = block.byteCount
    checksum = head.little(4, as: UInt32.self)
    segmentByteCount = FormatLimits.segmentByteCount(
      holding: FormatLimits.segmentHeaderByteCount + block.expandedByteCount)
  }
}
