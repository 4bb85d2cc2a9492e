internal import LZ4

/// Turns drafts into frames, one after the other, in a buffer that it reuses; carries chain and dictionary on.
///
/// Belongs to whoever has the commit role.
public struct FrameEncoder: ~Copyable {
  /// Fills bytes with what nobody can guess; a test's may be predictable.
  public typealias SaltSource = @Sendable (UnsafeMutableRawBufferPointer) -> Void

  private var compressor = LZ4LinkedCompressor()
  /// Plain bytes since the last restart point, in one piece: the dictionary of the next block.
  private let window: UnsafeMutableRawPointer
  private var windowCount = 0
  private var needsRestart = true
  private var output = ByteStore(capacity: 64 * 1024)
  private var hasher = ChainHasher()
  private var seed: UInt32
  private var epoch: UInt32
  private let salts: SaltSource

  /// Chain hash of the last frame encoded.
  public private(set) var chainHash: Hash256

  /// - Parameter seed: the checksum of the segment's header.
  public init(seed: UInt32, chainHash: Hash256, epoch: UInt32, salts: @escaping SaltSource) {
    self.seed = seed
    self.chainHash = chainHash
    self.epoch = epoch
    self.salts = salts
    window = .allocate(byteCount: FormatLimits.windowByteCount, alignment: 16)
  }

  deinit { window.deallocate() }

  /// The frames encoded since `clearOutput`, as they go to the disk.
  public var encodedBytes: UnsafeRawBufferPointer { output.bytes }
  public var outputByteCount: Int { output.count }
  public mutating func clearOutput() { output.truncate(to: 0) }

  /// The next frame is the first of another segment.
  public mutating func beginSegment(seed: UInt32, epoch: UInt32) {
    precondition(output.count == 0, "the frames of the old segment were written before the new one begins")
    self.seed = seed
    self.epoch = epoch
    needsRestart = true
  }

  /// Encodes one draft of `batch`.
  ///
  /// - Parameters:
  ///   - durableOffset: in this segment; see `FrameHeader`.
  ///   - leaves: handed the leaves of its records.
  public mutating func append(
    _ draft: FrameDraft, of batch: borrowing RecordBatch, durablePosition: UInt64, durableOffset: Int,
    leaves: (FrameLeaves) -> Void = { _ in }
  ) throws(FormatError) {
    let plain = batch.plainBytes(of: draft)
    guard plain.count <= FormatLimits.framePlainByteCountMaximum,
      let body = place(plain, recordCount: draft.recordCount)
    else { return }
    salts(body.salts)
    var header = FrameHeader(
      bodyByteCount: body.byteCount, plainByteCount: plain.count, recordCount: draft.recordCount, codec: body.codec,
      flags: body.isRestart ? .restart : [], firstPosition: draft.firstPosition,
      timeMilliseconds: draft.timeMilliseconds, durablePosition: durablePosition, durableOffset: durableOffset,
      epoch: epoch, chainHash: .zero)
    header.chainHash = try hasher.link(
      after: chainHash, header, plain: body.plain, salts: UnsafeRawBufferPointer(body.salts), leaves: leaves)
    finish(header)
  }

  /// Encodes a frame once more, some of whose records may have become leaves: what is hashed of it stays, and so does
  /// its chain hash.
  ///
  /// - Parameter offset: where it comes to stand in its segment, all of which will be on the disk before it is read.
  mutating func append(
    again old: FrameHeader, plain: UnsafeRawBufferPointer, salts: UnsafeRawBufferPointer, offset: Int
  ) {
    var header = old
    header.flags.remove(.restart)
    header.durableOffset = offset
    if let body = place(plain, recordCount: old.recordCount) {
      body.salts.copyMemory(from: salts)
      header.bodyByteCount = body.byteCount
      header.plainByteCount = plain.count
      header.codec = body.codec
      if body.isRestart { header.flags.insert(.restart) }
    }
    finish(header)
  }

  /// Encodes a frame without records.
  ///
  /// - Parameter nextPosition: of the next record to come.
  public mutating func appendEmpty(
    seal: Bool, nextPosition: UInt64, timeMilliseconds: Int64, durablePosition: UInt64, durableOffset: Int
  ) {
    var header = FrameHeader(
      bodyByteCount: 0, plainByteCount: 0, recordCount: 0, codec: .raw,
      flags: seal ? [.confirming, .seal] : .confirming,
      firstPosition: nextPosition, timeMilliseconds: timeMilliseconds, durablePosition: durablePosition,
      durableOffset: durableOffset, epoch: epoch, chainHash: .zero)
    header.chainHash = hasher.link(after: chainHash, empty: header)
    finish(header)
  }

  /// The body of a frame where it will be in the output.
  private struct Body {
    /// In the window, where they stay for the next frame.
    let plain: UnsafeRawBufferPointer
    /// Not filled yet.
    let salts: UnsafeMutableRawBufferPointer
    /// Salts and block.
    let byteCount: Int
    let codec: FrameHeader.Codec
    let isRestart: Bool
  }

  /// Compresses the plain bytes of a frame to their place in the output; nil if there are none.
  private mutating func place(_ plain: UnsafeRawBufferPointer, recordCount: Int) -> Body? {
    guard let source = plain.baseAddress, !plain.isEmpty else { return nil }
    let isRestart = needsRestart || windowCount >= FormatLimits.restartByteCount
    if isRestart {
      compressor.restart()
      windowCount = 0
      needsRestart = false
    }
    let piece = UnsafeMutableRawBufferPointer(start: window + windowCount, count: plain.count)
    window.advanced(by: windowCount).copyMemory(from: source, byteCount: plain.count)
    windowCount += plain.count

    let saltsCount = recordCount * FormatLimits.saltByteCount
    let blockMaximum = LZ4Block.maximumCompressedByteCount(plain.count)
    let start = output.reserve(FrameHeader.byteCount + saltsCount + blockMaximum) + FrameHeader.byteCount
    let block = UnsafeMutableRawBufferPointer(start: start + saltsCount, count: blockMaximum)
    var blockCount = compressor.compress(UnsafeRawBufferPointer(piece), into: block)
    var codec = FrameHeader.Codec.lz4
    if blockCount >= plain.count {
      block.copyMemory(from: plain)
      blockCount = plain.count
      codec = .raw
    }
    return Body(
      plain: UnsafeRawBufferPointer(piece), salts: UnsafeMutableRawBufferPointer(start: start, count: saltsCount),
      byteCount: saltsCount + blockCount, codec: codec, isRestart: isRestart)
  }

  /// Writes the header before the body that was placed.
  private mutating func finish(_ header: FrameHeader) {
    chainHash = header.chainHash
    let frame = output.reserve(header.byteCount)
    header.encode(into: UnsafeMutableRawBufferPointer(start: frame, count: header.byteCount), seed: seed)
    output.advance(header.byteCount)
  }
}
