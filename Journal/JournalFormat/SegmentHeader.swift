/// The first page of a segment file (`FORMAT.md`, "Segment header").
public struct SegmentHeader: Sendable, Equatable {
  public static let magic: [UInt8] = Array("CARILLON".utf8)
  public static let version: UInt32 = 1

  public var segmentByteCount: Int
  /// From 1, as in the file's name.
  public var number: UInt64
  public var id: SegmentID
  /// `SegmentID.none` for segment 1.
  public var previousID: SegmentID
  public var firstPosition: UInt64
  public var createdMilliseconds: Int64
  public var nodeID: UInt64
  public var epoch: UInt32
  /// Chain hash of the last frame of the segment before.
  public var previousHash: Hash256

  public init(
    segmentByteCount: Int, number: UInt64, id: SegmentID, previousID: SegmentID, firstPosition: UInt64,
    createdMilliseconds: Int64, nodeID: UInt64, epoch: UInt32, previousHash: Hash256
  ) {
    self.segmentByteCount = segmentByteCount
    self.number = number
    self.id = id
    self.previousID = previousID
    self.firstPosition = firstPosition
    self.createdMilliseconds = createdMilliseconds
    self.nodeID = nodeID
    self.epoch = epoch
    self.previousHash = previousHash
  }
}

/// Names one segment among all that were ever made: 16 random bytes.
public struct SegmentID: Sendable, Hashable {
  public var high: UInt64
  public var low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public static let none = SegmentID(high: 0, low: 0)
}

extension SegmentHeader {
  /// The page as it goes to the disk, and the checksum from which those of the frames continue.
  public func encoded() -> (page: [UInt8], seed: UInt32) {
    var page = [UInt8](repeating: 0, count: FormatLimits.segmentHeaderByteCount)
    let seed = page.withUnsafeMutableBytes { bytes in
      bytes.store(UInt64(clamping: segmentByteCount), little: 16)
      bytes.store(number, little: 24)
      bytes.store(id.high, little: 32)
      bytes.store(id.low, little: 40)
      bytes.store(previousID.high, little: 48)
      bytes.store(previousID.low, little: 56)
      bytes.store(firstPosition, little: 64)
      bytes.store(createdMilliseconds, little: 72)
      bytes.store(nodeID, little: 80)
      bytes.store(epoch, little: 88)
      if let base = bytes.baseAddress { previousHash.store(to: base + 96) }
      return bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return (page, seed)
  }

  /// Reads the page at the beginning of `bytes`.
  ///
  /// - Throws: `foreignMagic`, `newerVersion`, `headerIncomplete`, `headerDamaged`.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> (
    header: SegmentHeader, seed: UInt32
  ) {
    let byteCount = FormatLimits.segmentHeaderByteCount
    guard bytes.count >= byteCount else { throw .headerIncomplete }
    if let fault = bytes.headerFault(magic: magic, version: version, byteCount: byteCount) { throw FormatError(fault) }
    guard bytes.slice(128..<4092).isZero, let header = decodeFields(bytes, from: 16) else { throw .headerDamaged }
    return (header, bytes.little(4092, as: UInt32.self))
  }

  /// Reads bytes 16 to 127 of a header, which begin at `offset` of `bytes`; nil if a field is out of its bounds.
  static func decodeFields(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> SegmentHeader? {
    let fields = bytes.slice(offset..<(offset + 112))
    guard let size = Int(exactly: fields.little(0, as: UInt64.self)), FormatLimits.isReadableSegmentByteCount(size),
      fields.little(8, as: UInt64.self) > 0, fields.little(48, as: UInt64.self) > 0,
      fields.little(76, as: UInt32.self) == 0, let previousHash = Hash256(fields.slice(80..<112))
    else { return nil }
    return SegmentHeader(
      segmentByteCount: size, number: fields.little(8, as: UInt64.self),
      id: SegmentID(high: fields.little(16, as: UInt64.self), low: fields.little(24, as: UInt64.self)),
      previousID: SegmentID(high: fields.little(32, as: UInt64.self), low: fields.little(40, as: UInt64.self)),
      firstPosition: fields.little(48, as: UInt64.self), createdMilliseconds: fields.little(56, as: Int64.self),
      nodeID: fields.little(64, as: UInt64.self), epoch: fields.little(72, as: UInt32.self), previousHash: previousHash)
  }
}
