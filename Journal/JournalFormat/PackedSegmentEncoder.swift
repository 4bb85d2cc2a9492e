internal import LZ4

/// Packs the frames of a sealed segment into larger blocks (`FORMAT.md`, "Packed segment").
///
/// Does not check the chain: whoever packs expands the result, with hashes, before the original goes.
public struct PackedSegmentEncoder: ~Copyable {
  private let segment: SegmentHeader
  private var output: ByteStore
  private var compressor = LZ4HighCompressor()
  private var rows = ByteStore(capacity: 64 * 1024)
  private var salts = ByteStore(capacity: 64 * 1024)
  private var plain = ByteStore(capacity: 2 * FormatLimits.packedBlockByteCount)
  private var base = PackedRows.Base(nextPosition: 0, timeMilliseconds: 0, epoch: 0)
  private var block: PackedBlock?
  private var blockCount = 0
  private var frameCount = 0
  private var recordCount = 0
  /// Bytes of the segment when it is made again in memory.
  public private(set) var expandedByteCount = FormatLimits.segmentHeaderByteCount
  /// The checksum from which that of the next block continues.
  private var seed: UInt32

  /// Packs a segment, whose last frame is a seal.
  ///
  /// - Parameter bytes: the whole segment.
  /// - Throws: what is wrong with it; `frameDamaged` if it is not sealed.
  public static func pack(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> PackedSegmentEncoder {
    var scanner = try SegmentScanner(bytes)
    var encoder = PackedSegmentEncoder(scanner.header, capacity: bytes.count / 2)
    var decoder = FrameDecoder()
    while let frame = try scanner.next() {
      let salts = bytes.slice(frame.bodyOffset..<(frame.bodyOffset + frame.header.saltsByteCount))
      encoder.add(frame.header, plain: try decoder.plainBytes(of: frame, in: bytes), salts: salts)
    }
    guard scanner.isSealed else { throw .frameDamaged }
    encoder.flush()
    encoder.finish(headHash: scanner.chainHash)
    return encoder
  }

  private init(_ segment: SegmentHeader, capacity: Int) {
    self.segment = segment
    output = ByteStore(capacity: capacity)
    // Filled in at the end; the checksums of the blocks do not depend on what is not known yet.
    seed =
      PackedHeader(
        segment: segment, fileByteCount: 0, frameCount: 0, recordCount: 0, blockCount: 0, expandedByteCount: 0,
        headHash: .zero
      ).encoded().seed
    _ = output.reserve(PackedHeader.byteCount)
    output.advance(PackedHeader.byteCount)
  }

  /// The packed file; valid as long as this value.
  public var bytes: UnsafeRawBufferPointer { output.bytes }

  private mutating func add(
    _ frame: FrameHeader, plain more: UnsafeRawBufferPointer, salts moreSalts: UnsafeRawBufferPointer
  ) {
    if block == nil {
      base = PackedRows.Base(
        nextPosition: frame.firstPosition, timeMilliseconds: frame.timeMilliseconds, epoch: frame.epoch)
    }
    var block =
      block
      ?? PackedBlock(
        frameCount: 0, recordCount: 0, rowsByteCount: 0, plainByteCount: 0, storedByteCount: 0,
        firstPosition: frame.firstPosition, timeMilliseconds: frame.timeMilliseconds, epoch: frame.epoch,
        chainHash: .zero)
    PackedRows.append(frame, to: &rows, &base)
    salts.append(moreSalts)
    plain.append(more)
    block.frameCount += 1
    block.recordCount += frame.recordCount
    block.chainHash = frame.chainHash
    self.block = block
    if plain.count >= FormatLimits.packedBlockByteCount || block.frameCount == PackedBlock.frameCountMaximum { flush() }
  }

  private mutating func flush() {
    guard var block else { return }
    block.rowsByteCount = rows.count
    block.plainByteCount = plain.count
    let start = PackedBlock.headerByteCount + rows.count + salts.count
    let room = max(LZ4Block.maximumCompressedByteCount(plain.count), plain.count)
    let target = output.reserve(start + room)
    (target + PackedBlock.headerByteCount).copyMemory(from: rows.base, byteCount: rows.count)
    (target + PackedBlock.headerByteCount + rows.count).copyMemory(from: salts.base, byteCount: salts.count)
    if plain.count > 0 {
      let stored = UnsafeMutableRawBufferPointer(start: target + start, count: room)
      block.storedByteCount = compressor.compress(plain.bytes, into: stored)
      if block.storedByteCount >= plain.count {
        stored.copyMemory(from: plain.bytes)
        block.storedByteCount = plain.count
      }
    }
    seed = block.encode(into: UnsafeMutableRawBufferPointer(start: target, count: block.byteCount), seed: seed)
    output.advance(block.byteCount)
    blockCount += 1
    frameCount += block.frameCount
    recordCount += block.recordCount
    expandedByteCount += block.expandedByteCount
    rows.truncate(to: 0)
    salts.truncate(to: 0)
    plain.truncate(to: 0)
    self.block = nil
  }

  private mutating func finish(headHash: Hash256) {
    let header = PackedHeader(
      segment: segment, fileByteCount: output.count, frameCount: frameCount, recordCount: recordCount,
      blockCount: blockCount, expandedByteCount: FormatLimits.segmentByteCount(holding: expandedByteCount),
      headHash: headHash)
    UnsafeMutableRawBufferPointer(start: output.base, count: PackedHeader.byteCount)
      .copyBytes(from: header.encoded().bytes)
  }
}
