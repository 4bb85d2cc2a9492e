/// The header of one group commit (`FORMAT.md`, "Frame").
public struct FrameHeader: Sendable, Equatable {
  public static let magic: UInt32 = 0x3172_4643  // "CFr1"
  public static let byteCount = 88

  public enum Codec: UInt8, Sendable {
    case raw = 0
    case lz4 = 1
  }

  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The block refers to nothing before it.
    public static let restart = Flags(rawValue: 1)
    /// Without records: says how far the log was on the disk.
    public static let confirming = Flags(rawValue: 2)
    /// The last frame of a full segment.
    public static let seal = Flags(rawValue: 4)
  }

  public var bodyByteCount: Int
  public var plainByteCount: Int
  public var recordCount: Int
  public var codec: Codec
  public var flags: Flags
  /// In an empty frame, the position of the next record to come.
  public var firstPosition: UInt64
  public var timeMilliseconds: Int64
  /// The highest position known to be on the disk when this frame was written.
  public var durablePosition: UInt64
  /// The end of the part of this segment known to be on the disk when this frame was written.
  public var durableOffset: Int
  public var epoch: UInt32
  public var chainHash: Hash256

  /// Header and body.
  public var byteCount: Int { Self.byteCount + bodyByteCount }
  public var saltsByteCount: Int { recordCount * FormatLimits.saltByteCount }
  /// The position after this frame.
  public var endPosition: UInt64 { firstPosition + UInt64(recordCount) }
  public var isEmpty: Bool { recordCount == 0 }
}

extension FrameHeader {
  /// Writes the header to the first 88 of `bytes`, a whole frame, and seals all of it with the checksum.
  func encode(into bytes: UnsafeMutableRawBufferPointer, seed: UInt32) {
    precondition(bytes.count == byteCount, "the buffer is exactly the frame")
    bytes.store(Self.magic, little: 0)
    bytes.store(UInt32(bodyByteCount), little: 8)
    bytes.store(UInt32(plainByteCount), little: 12)
    bytes.store(UInt32(recordCount), little: 16)
    bytes.store(codec.rawValue, little: 20)
    bytes.store(flags.rawValue, little: 21)
    bytes.store(UInt16(0), little: 22)
    bytes.store(firstPosition, little: 24)
    bytes.store(timeMilliseconds, little: 32)
    bytes.store(durablePosition, little: 40)
    bytes.store(UInt32(durableOffset), little: 48)
    bytes.store(epoch, little: 52)
    if let base = bytes.baseAddress { chainHash.store(to: base + 56) }
    bytes.store(UnsafeRawBufferPointer(rebasing: bytes[8...]).checksum(seed: seed), little: 4)
  }

  /// Reads and checks the frame at `offset` of a segment's `bytes`, checksum included; nil if none stands there whole.
  ///
  /// Every field is bounded before it is used; nothing is unpacked.
  static func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int, seed: UInt32) -> FrameHeader? {
    guard let header = decodeFields(bytes, at: offset) else { return nil }
    let frame = bytes.slice(offset..<(offset + header.byteCount))
    guard frame.slice(8..<frame.count).checksum(seed: seed) == frame.little(4, as: UInt32.self) else { return nil }
    return header
  }

  /// The same without the checksum: whether a frame could stand there.
  static func decodeFields(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> FrameHeader? {
    guard offset >= 0, offset <= bytes.count, bytes.count - offset >= byteCount,
      bytes.little(offset, as: UInt32.self) == magic
    else { return nil }
    let body = Int(bytes.little(offset + 8, as: UInt32.self))
    let plain = Int(bytes.little(offset + 12, as: UInt32.self))
    let count = Int(bytes.little(offset + 16, as: UInt32.self))
    let flags = Flags(rawValue: bytes.little(offset + 21, as: UInt8.self))
    let first = bytes.little(offset + 24, as: UInt64.self)
    let durableOffset = Int(bytes.little(offset + 48, as: UInt32.self))
    guard let codec = Codec(rawValue: bytes.little(offset + 20, as: UInt8.self)),
      flags.isSubset(of: [.restart, .confirming, .seal]), bytes.little(offset + 22, as: UInt16.self) == 0,
      body <= bytes.count - offset - byteCount, plain <= FormatLimits.frameReadPlainByteCountMaximum,
      count <= FormatLimits.frameRecordCountMaximum, first > 0, first <= UInt64.max - UInt64(count),
      durableOffset <= offset, let chainHash = Hash256(bytes.slice((offset + 56)..<(offset + 88)))
    else { return nil }
    let header = FrameHeader(
      bodyByteCount: body, plainByteCount: plain, recordCount: count, codec: codec, flags: flags, firstPosition: first,
      timeMilliseconds: bytes.little(offset + 32, as: Int64.self),
      durablePosition: bytes.little(offset + 40, as: UInt64.self), durableOffset: durableOffset,
      epoch: bytes.little(offset + 52, as: UInt32.self), chainHash: chainHash)
    return header.isConsistent ? header : nil
  }

  /// Whether the fields fit together, whatever stands in the body.
  var isConsistent: Bool {
    guard durablePosition < firstPosition else { return false }
    if recordCount == 0 {
      return flags.contains(.confirming) && !flags.contains(.restart) && bodyByteCount == 0 && plainByteCount == 0
        && codec == .raw
    }
    guard flags.isDisjoint(with: [.confirming, .seal]),
      plainByteCount >= recordCount * FormatLimits.recordByteCountMinimum, bodyByteCount > saltsByteCount
    else { return false }
    let block = bodyByteCount - saltsByteCount
    return codec == .raw ? block == plainByteCount : block < plainByteCount
  }
}
