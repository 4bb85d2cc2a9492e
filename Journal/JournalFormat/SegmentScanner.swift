/// A frame whose checksum is right, and where it stands.
public struct ScannedFrame: Sendable, Equatable {
  public let header: FrameHeader
  /// From the beginning of the segment.
  public let offset: Int

  public var bodyOffset: Int { offset + FrameHeader.byteCount }
  public var endOffset: Int { offset + header.byteCount }
}

/// Walks over the frames of one segment in memory and judges the place where they end (`FORMAT.md`, "Recovery").
public struct SegmentScanner {
  private let bytes: UnsafeRawBufferPointer
  private let seed: UInt32
  public let header: SegmentHeader
  /// Where the next frame is due; after `next()` returned nil, where the log ends.
  public private(set) var offset = FormatLimits.segmentHeaderByteCount
  /// The position that the next frame must begin at.
  public private(set) var nextPosition: UInt64
  /// Chain hash of the last frame.
  public private(set) var chainHash: Hash256
  public private(set) var isSealed = false

  /// - Parameter bytes: the whole file, or as much of it as there is; they outlive the scanner.
  /// - Throws: what is wrong with the segment's header.
  public init(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    (header, seed) = try SegmentHeader.decode(bytes)
    self.bytes = bytes.count > header.segmentByteCount ? bytes.slice(0..<header.segmentByteCount) : bytes
    nextPosition = header.firstPosition
    chainHash = header.previousHash
  }

  /// The checksum from which those of this segment's frames continue.
  public var checksumSeed: UInt32 { seed }

  /// The next frame; nil where none stands, which `verdict` then explains.
  ///
  /// - Throws: `frameOutOfOrder`, `epochDiffers`.
  public mutating func next() throws(FormatError) -> ScannedFrame? {
    guard !isSealed, let frame = FrameHeader.decode(bytes, at: offset, seed: seed) else { return nil }
    guard frame.firstPosition == nextPosition else {
      throw .frameOutOfOrder(expected: nextPosition, found: frame.firstPosition)
    }
    guard frame.epoch == header.epoch else { throw .epochDiffers(expected: header.epoch, found: frame.epoch) }
    let scanned = ScannedFrame(header: frame, offset: offset)
    offset = scanned.endOffset
    nextPosition = frame.endPosition
    chainHash = frame.chainHash
    isSealed = frame.flags.contains(.seal)
    return scanned
  }

  /// Goes on at a frame that begins at `offset`, whatever stands before it.
  /// - Parameter position: of its first record; of the next one to come, if it is empty.
  package mutating func jump(to offset: Int, position: UInt64) {
    self.offset = offset
    nextPosition = position
    isSealed = false
  }

  /// The first frame that begins in `range`, ends there, and refers to nothing before it. Of the segment's bytes only
  /// those in `range` are looked at.
  package func restartPoint(in range: Range<Int>) -> ScannedFrame? {
    let bytes = bytes.slice(0..<min(range.upperBound, bytes.count))
    var start = range.lowerBound
    while let candidate = bytes.firstOffset(of: FrameHeader.magic, from: start) {
      start = candidate + 1
      guard let fields = FrameHeader.decodeFields(bytes, at: candidate), fields.flags.contains(.restart),
        let header = FrameHeader.decode(bytes, at: candidate, seed: seed)
      else { continue }
      return ScannedFrame(header: header, offset: candidate)
    }
    return nil
  }

  /// Whether what stands at `offset` may be a frame whose end lies behind the first `count` bytes: as long as it may, more
  /// bytes can complete it. Nothing is begun behind a seal.
  package func mayBeUnfinished(in count: Int) -> Bool {
    guard count > offset else { return count == offset }
    guard !isSealed, count <= bytes.count else { return false }
    guard count - offset >= FrameHeader.byteCount else { return true }
    guard let fields = FrameHeader.decodeFields(bytes, at: offset) else { return false }
    return fields.byteCount > count - offset
  }

  /// What follows the last frame.
  public enum Verdict: Sendable, Equatable {
    /// Zeros: nothing was lost.
    case clean
    /// A write that a crash tore; nobody was told that it had succeeded. From here to the last byte that is not zero.
    case torn(Range<Int>)
    /// Bytes that had been on the disk once: the frame at `evidence` was written after them.
    case damaged(evidence: Int)
  }

  public func verdict() -> Verdict {
    let rest = bytes.slice(offset..<bytes.count)
    let end = rest.endOfLastNonzero
    guard end > 0 else { return .clean }
    guard let evidence = offsetOfLaterFrame() else { return .torn(offset..<(offset + end)) }
    return .damaged(evidence: evidence)
  }

  /// A whole frame further on that was written when the bytes at `offset` were on the disk already.
  private func offsetOfLaterFrame() -> Int? {
    var budget = FormatLimits.searchByteCountMaximum
    var start = offset + 1
    while let candidate = bytes.firstOffset(of: FrameHeader.magic, from: start) {
      start = candidate + 1
      guard let fields = FrameHeader.decodeFields(bytes, at: candidate), fields.durableOffset > offset,
        fields.firstPosition >= nextPosition
      else { continue }
      budget -= fields.byteCount
      // Never by accident: somebody filled the segment with beginnings of frames. Not to be cut off unseen.
      guard budget > 0 else { return candidate }
      if FrameHeader.decode(bytes, at: candidate, seed: seed) != nil { return candidate }
    }
    return nil
  }
}
