/// A part as bytes.
extension RecordIndexPart {
  private static let finalFlag: UInt32 = 1
  private static let packedFlag: UInt32 = 2

  /// Head and rows.
  /// - Parameter seed: the checksum of the part before, of the file's header for the first: order is checked too.
  /// - Returns: the bytes, and the checksum from which that of the next part continues.
  func encodedRows(seed: UInt32) -> (bytes: [UInt8], checksum: UInt32) {
    var bytes = [UInt8](repeating: 0, count: rowsByteCount)
    let checksum = bytes.withUnsafeMutableBytes { bytes in
      encodeHead(into: bytes)
      var offset = Self.headByteCount
      for point in restartPoints {
        bytes.store(point.position, little: offset)
        bytes.store(UInt64(point.offset), little: offset + 8)
        offset += Self.rowByteCount
      }
      for silence in silences {
        bytes.store(silence.position, little: offset)
        bytes.store(silence.from, little: offset + 8)
        bytes.store(silence.to, little: offset + 16)
        offset += Self.silenceByteCount
      }
      for fence in fences {
        bytes.store(fence.lowest, little: offset)
        bytes.store(UInt32(fence.offset), little: offset + 8)
        bytes.store(fence.checksum, little: offset + 12)
        offset += Self.rowByteCount
      }
      let checksum = UnsafeRawBufferPointer(rebasing: bytes[8...]).checksum(seed: seed)
      bytes.store(checksum, little: 4)
      return checksum
    }
    return (bytes, checksum)
  }

  private func encodeHead(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.store(Self.magic, little: 0)
    bytes.store((isFinal ? Self.finalFlag : 0) | (isPacked ? Self.packedFlag : 0), little: 8)
    bytes.store(UInt32(restartPoints.count), little: 12)
    bytes.store(UInt32(silences.count), little: 16)
    bytes.store(UInt32(fences.count), little: 20)
    bytes.store(UInt64(blocksByteCount), little: 24)
    bytes.store(firstPosition, little: 32)
    bytes.store(endPosition, little: 40)
    bytes.store(UInt64(lastFrameOffset), little: 48)
    bytes.store(UInt64(endOffset), little: 56)
    if let base = bytes.baseAddress { chainHash.store(to: base + 64) }
    starts.encode(into: UnsafeMutableRawBufferPointer(rebasing: bytes[96..<(96 + StartDetector.byteCount)]))
  }

  /// How many bytes head and rows have, by what a head says; nil if it is none.
  public static func rowsByteCount(head: UnsafeRawBufferPointer) -> Int? {
    guard head.count >= headByteCount, head.little(0, as: UInt32.self) == magic else { return nil }
    func count(_ offset: Int) -> Int { Int(head.little(offset, as: UInt32.self)) }
    // No sum overflows: each has 38 bits at most.
    let total = headByteCount + (count(12) + count(20)) * rowByteCount + count(16) * silenceByteCount
    return total <= RecordIndexLimits.rowsByteCountMaximum ? total : nil
  }

  /// Reads and checks head and rows.
  /// - Parameters:
  ///   - bytes: exactly as many as `rowsByteCount(head:)` says.
  ///   - seed: see `encodedRows`.
  /// - Returns: nil if these are not the bytes that were written in this place.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, seed: UInt32
  ) -> (part: RecordIndexPart, checksum: UInt32)? {
    guard rowsByteCount(head: bytes) == bytes.count else { return nil }
    let checksum = bytes.slice(8..<bytes.count).checksum(seed: seed)
    guard checksum == bytes.little(4, as: UInt32.self), let part = decodeFields(bytes), part.isConsistent else {
      return nil
    }
    return (part, checksum)
  }

  private static func decodeFields(_ bytes: UnsafeRawBufferPointer) -> RecordIndexPart? {
    func number(_ offset: Int) -> Int? { Int(exactly: bytes.little(offset, as: UInt64.self)) }
    guard let blocks = number(24), let lastFrame = number(48), let end = number(56),
      let chainHash = Hash256(bytes.slice(64..<96))
    else { return nil }
    let flags = bytes.little(8, as: UInt32.self)
    var part = RecordIndexPart(
      firstPosition: bytes.little(32, as: UInt64.self), endPosition: bytes.little(40, as: UInt64.self),
      isFinal: flags & finalFlag != 0, isPacked: flags & packedFlag != 0, lastFrameOffset: lastFrame, endOffset: end,
      chainHash: chainHash, starts: StartDetector(bytes.slice(96..<(96 + StartDetector.byteCount))), restartPoints: [],
      silences: [], fences: [], blocksByteCount: blocks)
    var offset = headByteCount
    for _ in 0..<Int(bytes.little(12, as: UInt32.self)) {
      guard let place = number(offset + 8) else { return nil }
      part.restartPoints.append(RestartPoint(position: bytes.little(offset, as: UInt64.self), offset: place))
      offset += rowByteCount
    }
    for _ in 0..<Int(bytes.little(16, as: UInt32.self)) {
      part.silences.append(
        StartDetector.Silence(
          position: bytes.little(offset, as: UInt64.self), from: bytes.little(offset + 8, as: Int64.self),
          to: bytes.little(offset + 16, as: Int64.self)))
      offset += silenceByteCount
    }
    for _ in 0..<Int(bytes.little(20, as: UInt32.self)) {
      part.fences.append(
        Fence(
          lowest: bytes.little(offset, as: UInt64.self), offset: Int(bytes.little(offset + 8, as: UInt32.self)),
          checksum: bytes.little(offset + 12, as: UInt32.self)))
      offset += rowByteCount
    }
    return part
  }

  /// Whether the fields fit together; that they are what was written, the checksum says.
  private var isConsistent: Bool {
    guard firstPosition > 0, endPosition >= firstPosition, blocksByteCount <= RecordIndexLimits.blocksByteCountMaximum,
      fences.isEmpty == (blocksByteCount == 0)
    else { return false }
    let offsets = fences.map(\.offset) + [blocksByteCount]
    return offsets[0] == 0 && zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 }
      && zip(fences, fences.dropFirst()).allSatisfy { $0.lowest < $1.lowest }
      && zip(restartPoints, restartPoints.dropFirst()).allSatisfy { $0.position < $1.position && $0.offset < $1.offset }
  }
}

/// The bounds of a record index; what says more is not believed.
public enum RecordIndexLimits {
  /// Plain bytes after which a block ends.
  static let blockByteCount = 4096
  /// Pairs of a record and a term in one part: what is in memory while it is made.
  public static let pairCountMaximum = 1_000_000
  static let rowsByteCountMaximum = 64 * 1024 * 1024
  static let blocksByteCountMaximum = Int(UInt32.max)
}
