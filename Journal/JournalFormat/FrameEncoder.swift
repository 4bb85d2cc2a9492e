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
  private let epoch: UInt32
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
  public mutating func beginSegment(seed: UInt32) {
    precondition(output.count == 0, "the frames of the old segment were written before the new one begins")
    self.seed = seed
    needsRestart = true
  }

  /// Encodes one draft of `batch`.
  ///
  /// - Parameter durableOffset: in this segment; see `FrameHeader`.
  public mutating func append(
    _ draft: FrameDraft, of batch: borrowing RecordBatch, durablePosition: UInt64, durableOffset: Int
  ) throws(FormatError) {
    let plain = batch.plainBytes(of: draft)
    guard let source = plain.baseAddress, plain.count <= FormatLimits.framePlainByteCountMaximum else { return }
    let isRestart = needsRestart || windowCount >= FormatLimits.restartByteCount
    if isRestart {
      compressor.restart()
      windowCount = 0
      needsRestart = false
    }
    let piece = UnsafeMutableRawBufferPointer(start: window + windowCount, count: plain.count)
    window.advanced(by: windowCount).copyMemory(from: source, byteCount: plain.count)
    windowCount += plain.count

    let saltsCount = draft.recordCount * FormatLimits.saltByteCount
    let blockMaximum = LZ4Block.maximumCompressedByteCount(plain.count)
    let frame = output.reserve(FrameHeader.byteCount + saltsCount + blockMaximum)
    let saltColumn = UnsafeMutableRawBufferPointer(start: frame + FrameHeader.byteCount, count: saltsCount)
    let block = UnsafeMutableRawBufferPointer(start: frame + FrameHeader.byteCount + saltsCount, count: blockMaximum)
    salts(saltColumn)
    var blockCount = compressor.compress(UnsafeRawBufferPointer(piece), into: block)
    var codec = FrameHeader.Codec.lz4
    if blockCount >= plain.count {
      block.copyMemory(from: plain)
      blockCount = plain.count
      codec = .raw
    }

    var header = FrameHeader(
      bodyByteCount: saltsCount + blockCount, plainByteCount: plain.count, recordCount: draft.recordCount, codec: codec,
      flags: isRestart ? .restart : [], firstPosition: draft.firstPosition, timeMilliseconds: draft.timeMilliseconds,
      durablePosition: durablePosition, durableOffset: durableOffset, epoch: epoch, chainHash: .zero)
    header.chainHash = try hasher.link(
      after: chainHash, header, plain: UnsafeRawBufferPointer(piece), salts: UnsafeRawBufferPointer(saltColumn))
    chainHash = header.chainHash
    header.encode(into: UnsafeMutableRawBufferPointer(start: frame, count: header.byteCount), seed: seed)
    output.advance(header.byteCount)
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
    hasher.begin(after: chainHash, header)
    header.chainHash = hasher.finish()
    chainHash = header.chainHash
    let frame = output.reserve(header.byteCount)
    header.encode(into: UnsafeMutableRawBufferPointer(start: frame, count: header.byteCount), seed: seed)
    output.advance(header.byteCount)
  }
}

extension ChainHasher {
  /// The chain hash of a frame over its plain bytes and salts.
  ///
  /// - Throws: `recordDamaged`.
  mutating func link(
    after previous: Hash256, _ header: FrameHeader, plain: UnsafeRawBufferPointer, salts: UnsafeRawBufferPointer
  ) throws(FormatError) -> Hash256 {
    begin(after: previous, header)
    var cursor = RecordCursor(plain: plain, header: header)
    var saltOffset = 0
    while let record = try cursor.next() {
      let salt = salts.slice(saltOffset..<(saltOffset + FormatLimits.saltByteCount))
      saltOffset += FormatLimits.saltByteCount
      if record.isRedacted {
        guard salt.isZero, let leaf = Hash256(record.body) else { throw .chainBroken }
        add(kind: record.kind, leaf: leaf)
      } else {
        add(kind: record.kind, leaf: Self.leaf(salt: salt, body: record.body))
      }
    }
    return finish()
  }
}
