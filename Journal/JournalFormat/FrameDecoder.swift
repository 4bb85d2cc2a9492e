internal import LZ4

/// Unpacks the frames of a segment in order; holds at most 256 KiB and one frame.
public struct FrameDecoder: ~Copyable {
  private var window: PlainWindow
  private var windowCount = 0
  private var hasRestart = false
  private var hasher = ChainHasher()
  /// Frames that the hasher has taken in: where they stand, and what their links must be.
  private var unchecked: [(offset: Int, chainHash: Hash256?, firstPosition: UInt64)] = []
  private static let checkedTogetherMaximum = 4096

  /// Takes the leaves of a frame whose checks are finished, in order of the frames.
  public typealias LeafTaker = (_ firstPosition: UInt64, FrameLeaves) -> Void

  /// Where the frame stands that `check` or `finishChecks` threw about.
  public private(set) var brokenFrameOffset: Int?

  /// - Parameter window: the decoder's alone until it goes on in another one.
  public init(window: PlainWindow = PlainWindow()) { self.window = window }

  /// The next frame is a restart point; it goes into `window`, as do those behind it.
  public mutating func goOn(in window: PlainWindow) {
    self.window = window
    hasRestart = false
  }

  /// The next frame is the first of a segment.
  public mutating func beginSegment() {
    precondition(unchecked.isEmpty, "the checks of the segment before were finished")
    hasRestart = false
  }

  /// Hands each record of `frame` to `body`, in order.
  ///
  /// - Parameters:
  ///   - bytes: the whole segment, as it was scanned.
  ///   - previousHash: when given, leaves and chain are checked against it first.
  /// - Throws: `FormatError`, or what `body` throws.
  public mutating func forEachRecord(
    of frame: ScannedFrame, in bytes: UnsafeRawBufferPointer, previousHash: Hash256? = nil,
    _ body: (borrowing RecordView) throws -> Void
  ) throws {
    let plain = try plainBytes(of: frame, in: bytes)
    if let previousHash {
      let salts = bytes.slice(frame.bodyOffset..<(frame.bodyOffset + frame.header.saltsByteCount))
      guard try hasher.link(after: previousHash, frame.header, plain: plain, salts: salts) == frame.header.chainHash
      else { throw FormatError.chainBroken }
    }
    var cursor = RecordCursor(plain: plain, header: frame.header)
    while let record = try cursor.next() { try body(record) }
  }

  /// Checks leaves and chain of `frame` only, together with those of other frames: the faster way if nobody wants to see
  /// the records. What was found out by `finishChecks` holds for all frames before it.
  ///
  /// - Parameters:
  ///   - bytes: the whole segment, as it was scanned; stays where it is until `finishChecks`.
  ///   - previousHash: the chain hash of the frame before; nil if only its leaves are wanted.
  ///   - leaves: also called for frames that were taken before.
  /// - Returns: how many of its records are redacted.
  /// - Throws: what is wrong with this frame or one that was checked before; `brokenFrameOffset` then says which.
  public mutating func check(
    _ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer, previousHash: Hash256?,
    leaves: LeafTaker = { _, _ in }
  ) throws(FormatError) -> Int {
    // The next block is unpacked over the plain bytes of those that wait.
    if frame.header.flags.contains(.restart) || unchecked.count >= Self.checkedTogetherMaximum {
      try finishChecks(leaves: leaves)
    }
    do throws(FormatError) {
      let plain = try plainBytes(of: frame, in: bytes)
      let salts = bytes.slice(frame.bodyOffset..<(frame.bodyOffset + frame.header.saltsByteCount))
      let redacted = try hasher.add(after: previousHash ?? .zero, frame.header, plain: plain, salts: salts)
      unchecked.append((frame.offset, previousHash == nil ? nil : frame.header.chainHash, frame.header.firstPosition))
      return redacted
    } catch {
      // What is wrong further ahead comes first.
      try finishChecks(leaves: leaves)
      brokenFrameOffset = frame.offset
      throw error
    }
  }

  /// Ends the checks of the frames that `check` has taken; due at the end of a segment.
  ///
  /// - Throws: `chainBroken`; leaves of the frame that is, or of those behind it, are not handed on.
  public mutating func finishChecks(leaves: LeafTaker = { _, _ in }) throws(FormatError) {
    var broken: Int?
    let expected = unchecked
    hasher.finish { index, link, found in
      if broken == nil, let hash = expected[index].chainHash, link != hash { broken = expected[index].offset }
      if broken == nil, found.count > 0 { leaves(expected[index].firstPosition, found) }
    }
    unchecked.removeAll(keepingCapacity: true)
    brokenFrameOffset = broken
    if broken != nil { throw .chainBroken }
  }

  /// Unpacks `frame`, to be looked at later: it stays as it is until the decoder comes back to its window.
  ///
  /// - Throws: what is wrong with the frame as a whole.
  public mutating func unpack(
    _ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> UnpackedFrame {
    UnpackedFrame(frame: frame, plain: try plainBytes(of: frame, in: bytes))
  }

  /// The plain bytes of `frame`; valid until the next call.
  mutating func plainBytes(
    of frame: ScannedFrame, in bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> UnsafeRawBufferPointer {
    let header = frame.header
    guard !header.isEmpty else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    if header.flags.contains(.restart) {
      windowCount = 0
      hasRestart = true
    } else if !hasRestart || windowCount >= FormatLimits.restartByteCount {
      throw .restartPointMissing
    }
    let block = bytes.slice((frame.bodyOffset + header.saltsByteCount)..<(frame.bodyOffset + header.bodyByteCount))
    let target = UnsafeMutableRawBufferPointer(start: window.base + windowCount, count: header.plainByteCount)
    switch header.codec {
    case .raw:
      target.copyMemory(from: block)
    case .lz4:
      guard LZ4Block.decompress(block, into: target, dictionaryByteCount: windowCount) == header.plainByteCount else {
        hasRestart = false
        throw .blockDamaged
      }
    }
    windowCount += header.plainByteCount
    return UnsafeRawBufferPointer(target)
  }
}
