internal import LZ4

/// A packed segment in memory, which can be made a segment again (`FORMAT.md`, "Packed segment").
///
/// What comes out has every record, salt, position, time and chain hash of the segment that went in; only its frames
/// are not compressed, so its size differs.
public struct PackedSegment: ~Copyable {
  public let header: PackedHeader
  /// Where the block begins that is being read; after an error, where it is.
  public private(set) var offset = PackedHeader.byteCount
  private let bytes: UnsafeRawBufferPointer
  /// The checksum from which that of the next block continues.
  private var seed: UInt32
  private var base: PackedRows.Base
  private var frames: [(header: FrameHeader, offset: Int)] = []
  private var previousHash: Hash256
  private var isSealed = false
  private var hasher = ChainHasher()

  /// - Parameter bytes: the whole file; they outlive this value.
  /// - Throws: what is wrong with the header; `fileIncomplete`.
  public init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    let (header, seed) = try PackedHeader.decode(bytes)
    guard bytes.count >= header.fileByteCount else { throw .fileIncomplete(byteCount: header.fileByteCount) }
    guard bytes.count == header.fileByteCount else { throw .headerDamaged }
    // Before anybody makes room for it.
    guard Self.expandedByteCount(bytes) == header.expandedByteCount else { throw .headerDamaged }
    self.init(bytes, header, seed: seed)
  }

  /// What the blocks expand to, by what they say themselves; nil if they do not follow each other.
  private static func expandedByteCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var count = FormatLimits.segmentHeaderByteCount
    var offset = PackedHeader.byteCount
    while offset < bytes.count {
      guard let block = PackedBlock.decodeFields(bytes, at: offset) else { return nil }
      count += block.expandedByteCount
      offset += block.byteCount
    }
    return FormatLimits.segmentByteCount(holding: count)
  }

  private init(_ bytes: UnsafeRawBufferPointer, _ header: PackedHeader, seed: UInt32) {
    self.bytes = bytes
    self.header = header
    self.seed = seed
    base = PackedRows.Base(nextPosition: header.segment.firstPosition, timeMilliseconds: 0, epoch: 0)
    previousHash = header.segment.previousHash
  }

  /// Makes the segment again.
  ///
  /// - Parameters:
  ///   - target: exactly `header.expandedByteCount` bytes.
  ///   - hashing: computes every leaf and chain hash and compares with the one that stands in each block. Without it
  ///     the chain hashes of all frames but the last of each block are zero.
  /// - Throws: `blockDamaged`, `epochDiffers`, `chainBroken`, `recordDamaged`; `offset` then says where.
  public mutating func expand(into target: UnsafeMutableRawBufferPointer, hashing: Bool) throws(FormatError) {
    precondition(target.count == header.expandedByteCount, "the target has room for exactly the segment")
    var segment = header.segment
    segment.segmentByteCount = header.expandedByteCount
    let (page, frameSeed) = segment.encoded()
    target.copyBytes(from: page)
    var end = page.count
    var frameCount = 0
    var recordCount = 0
    for _ in 0..<header.blockCount {
      let (block, checksum) = try PackedBlock.decode(bytes, at: offset, seed: seed)
      guard block.firstPosition == base.nextPosition, block.expandedByteCount <= target.count - end else {
        throw .blockDamaged
      }
      try unpack(block, into: UnsafeMutableRawBufferPointer(rebasing: target[end..<(end + block.expandedByteCount)]))
      try link(block, target, from: end, hashing: hashing, seed: frameSeed)
      end += block.expandedByteCount
      offset += block.byteCount
      seed = checksum
      frameCount += block.frameCount
      recordCount += block.recordCount
    }
    guard isSealed, offset == bytes.count, frameCount == header.frameCount, recordCount == header.recordCount,
      previousHash == header.headHash
    else { throw .blockDamaged }
    UnsafeMutableRawBufferPointer(rebasing: target[end...]).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Makes the frames of one block again, as a segment that holds nothing else; chain hashes are not checked.
  ///
  /// - Parameters:
  ///   - bytes: the block.
  ///   - header: of the file that it stands in.
  ///   - seed: the checksum of the block before; of the header, for the first.
  ///   - target: exactly as many bytes as `PackedBlockExtent.segmentByteCount` says.
  /// - Throws: `blockDamaged`, `epochDiffers`.
  package static func expand(
    block bytes: UnsafeRawBufferPointer, of header: PackedHeader, seed: UInt32,
    into target: UnsafeMutableRawBufferPointer
  ) throws(FormatError) {
    let (block, _) = try PackedBlock.decode(bytes, at: 0, seed: seed)
    var packed = PackedSegment(bytes, header, seed: seed)
    packed.offset = 0
    packed.base.nextPosition = block.firstPosition
    var segment = header.segment
    segment.firstPosition = block.firstPosition
    segment.segmentByteCount = target.count
    let (page, frameSeed) = segment.encoded()
    let end = page.count + block.expandedByteCount
    guard end <= target.count else { throw .blockDamaged }
    target.copyBytes(from: page)
    try packed.unpack(block, into: UnsafeMutableRawBufferPointer(rebasing: target[page.count..<end]))
    try packed.link(block, target, from: page.count, hashing: false, seed: frameSeed)
    UnsafeMutableRawBufferPointer(rebasing: target[end...]).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Puts salts and records of each frame where they belong, and its header into `frames`.
  private mutating func unpack(
    _ block: PackedBlock, into target: UnsafeMutableRawBufferPointer
  ) throws(FormatError) {
    let rowsStart = offset + PackedBlock.headerByteCount
    let saltsStart = rowsStart + block.rowsByteCount
    let rows = bytes.slice(rowsStart..<saltsStart)
    let stored = bytes.slice((saltsStart + block.saltsByteCount)..<(offset + block.byteCount))
    // All records first go to the end of the target; from there each frame's move forward to their place, which never
    // reaches what has not been moved yet.
    let plain = UnsafeMutableRawBufferPointer(rebasing: target[(target.count - block.plainByteCount)...])
    if block.storedByteCount == block.plainByteCount {
      plain.copyMemory(from: stored)
    } else if LZ4Block.decompress(stored, into: plain, dictionaryByteCount: 0) != block.plainByteCount {
      throw .blockDamaged
    }
    frames.removeAll(keepingCapacity: true)
    base.timeMilliseconds = block.timeMilliseconds
    base.epoch = block.epoch
    var row = 0
    var place = 0
    var records = 0
    var source = target.count - block.plainByteCount
    for _ in 0..<block.frameCount {
      guard !isSealed, let frame = PackedRows.read(rows, &row, &base), frame.plainByteCount <= target.count - source,
        records + frame.recordCount <= block.recordCount, let start = target.baseAddress
      else { throw .blockDamaged }
      guard frame.epoch == header.segment.epoch else {
        throw .epochDiffers(expected: header.segment.epoch, found: frame.epoch)
      }
      isSealed = frame.flags.contains(.seal)
      frames.append((frame, place))
      let salts = start + place + FrameHeader.byteCount
      if !frame.isEmpty {
        (salts + frame.saltsByteCount).copyMemory(from: start + source, byteCount: frame.plainByteCount)
        let from = saltsStart + records * FormatLimits.saltByteCount
        UnsafeMutableRawBufferPointer(start: salts, count: frame.saltsByteCount)
          .copyMemory(from: bytes.slice(from..<(from + frame.saltsByteCount)))
      }
      source += frame.plainByteCount
      place += frame.byteCount
      records += frame.recordCount
    }
    guard row == rows.count, records == block.recordCount, source == target.count else { throw .blockDamaged }
  }

  /// Gives the frames of a block their chain hashes and checksums.
  private mutating func link(
    _ block: PackedBlock, _ target: UnsafeMutableRawBufferPointer, from start: Int, hashing: Bool, seed: UInt32
  ) throws(FormatError) {
    if hashing {
      for (frame, place) in frames {
        let salts = start + place + FrameHeader.byteCount
        let plain = salts + frame.saltsByteCount
        let image = UnsafeRawBufferPointer(target)
        _ = try hasher.add(
          after: .zero, frame, plain: image.slice(plain..<(plain + frame.plainByteCount)),
          salts: image.slice(salts..<plain))
      }
      hasher.finish(following: previousHash) { index, link in frames[index].header.chainHash = link }
      guard frames.last?.header.chainHash == block.chainHash else { throw .chainBroken }
    } else {
      frames[frames.count - 1].header.chainHash = block.chainHash
    }
    for (frame, place) in frames {
      frame.encode(
        into: UnsafeMutableRawBufferPointer(rebasing: target[(start + place)..<(start + place + frame.byteCount)]),
        seed: seed)
    }
    previousHash = block.chainHash
  }
}
