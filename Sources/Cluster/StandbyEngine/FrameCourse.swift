import JournalFormat
import StandbyWire

/// Follows the frames of one plain segment through its bytes, wherever those are cut: tells where a frame ends and
/// which is the last. Looks at nothing but lengths; what is wrong with a frame, its reader finds out.
struct FrameCourse: Sendable {
  /// Bytes that are no frames of a segment, as far as their headers tell.
  struct Damage: Error, Equatable {
    let offset: Int
  }

  /// The end of the last whole frame, or of the segment's header.
  private(set) var end: Int
  /// Chain hash of the frame that ends there.
  private(set) var chainHash: Hash256
  private(set) var isSealed = false

  /// Bytes of the segment that have been taken.
  private var taken: Int
  /// The beginning of a frame whose header is not whole.
  private var head: [UInt8] = []
  /// Of the frame whose header was whole.
  private var bodyLeft = 0
  private var pending: (chainHash: Hash256, isSeal: Bool)?

  /// - Parameters:
  ///   - offset: where the bytes to come begin: 0, the end of the segment's header, or that of a frame.
  ///   - chainHash: of the frame before.
  ///   - isSealed: that frame is the last of its segment.
  init(from offset: Int, chainHash: Hash256, isSealed: Bool = false) {
    taken = offset
    end = max(offset, FormatLimits.segmentHeaderByteCount)
    self.chainHash = chainHash
    self.isSealed = isSealed
  }

  /// Takes the next bytes, up to the end of the last frame: what stands behind that is left alone.
  ///
  /// - Parameter each: is told where a frame ends, and its chain hash.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, each: (_ end: Int, _ chainHash: Hash256) -> Void = { _, _ in }
  ) throws(Damage) {
    var rest = bytes[...]
    if taken < FormatLimits.segmentHeaderByteCount {
      let count = min(FormatLimits.segmentHeaderByteCount - taken, rest.count)
      taken += count
      rest = rest.dropFirst(count)
    }
    while !rest.isEmpty, !isSealed {
      if let frame = pending {
        let count = min(bodyLeft, rest.count)
        bodyLeft -= count
        taken += count
        rest = rest.dropFirst(count)
        if bodyLeft == 0 { finish(frame, each) }
      } else {
        let count = min(FrameHeader.byteCount - head.count, rest.count)
        head += rest.prefix(count)
        taken += count
        rest = rest.dropFirst(count)
        guard head.count == FrameHeader.byteCount else { return }
        try begin()
        if let frame = pending, bodyLeft == 0 { finish(frame, each) }
      }
    }
  }

  private mutating func begin() throws(Damage) {
    let (magic, body, flags, chainHash) = head.withUnsafeBytes { bytes in
      (
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)),
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
        FrameHeader.Flags(rawValue: bytes[21]), Hash256(UnsafeRawBufferPointer(rebasing: bytes[56...]))
      )
    }
    head.removeAll(keepingCapacity: true)
    guard magic == FrameHeader.magic, Int(body) <= FormatLimits.frameReadByteCountMaximum, let chainHash else {
      throw Damage(offset: end)
    }
    bodyLeft = Int(body)
    pending = (chainHash, flags.contains(.seal))
  }

  private mutating func finish(
    _ frame: (chainHash: Hash256, isSeal: Bool), _ each: (_ end: Int, _ chainHash: Hash256) -> Void
  ) {
    pending = nil
    (end, chainHash, isSealed) = (taken, frame.chainHash, frame.isSeal)
    each(end, chainHash)
  }
}
