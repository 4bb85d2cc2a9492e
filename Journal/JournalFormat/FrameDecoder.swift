internal import LZ4

/// Unpacks the frames of a segment in order; holds at most 256 KiB and one frame.
public struct FrameDecoder: ~Copyable {
  private let window: UnsafeMutableRawPointer
  private var windowCount = 0
  private var hasRestart = false
  private var hasher = ChainHasher()

  public init() { window = .allocate(byteCount: FormatLimits.windowByteCount, alignment: 16) }

  deinit { window.deallocate() }

  /// The next frame is the first of a segment.
  public mutating func beginSegment() { hasRestart = false }

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
    let plain = try unpack(frame, in: bytes)
    if let previousHash {
      let salts = bytes.slice(frame.bodyOffset..<(frame.bodyOffset + frame.header.saltsByteCount))
      guard try hasher.link(after: previousHash, frame.header, plain: plain, salts: salts) == frame.header.chainHash
      else { throw FormatError.chainBroken }
    }
    var cursor = RecordCursor(plain: plain, header: frame.header)
    while let record = try cursor.next() { try body(record) }
  }

  /// The plain bytes of `frame`; valid until the next call.
  mutating func unpack(
    _ frame: ScannedFrame, in bytes: UnsafeRawBufferPointer
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
    let target = UnsafeMutableRawBufferPointer(start: window + windowCount, count: header.plainByteCount)
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
