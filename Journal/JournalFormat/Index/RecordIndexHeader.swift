/// The first 64 bytes of a file of the record index: of which segment it is (`FORMAT.md`, "Record index").
public struct RecordIndexHeader: Sendable, Equatable {
  static let magic: [UInt8] = Array("CARINDEX".utf8)
  static let version: UInt32 = 1
  public static let byteCount = 64

  public var segmentNumber: UInt64
  public var segmentID: SegmentID
  public var firstPosition: UInt64
  /// Of the key that the terms were hashed with.
  public var keyCheck: UInt64

  public init(segmentNumber: UInt64, segmentID: SegmentID, firstPosition: UInt64, keyCheck: UInt64) {
    self.segmentNumber = segmentNumber
    self.segmentID = segmentID
    self.firstPosition = firstPosition
    self.keyCheck = keyCheck
  }

  /// As it goes to the disk, and the checksum from which that of the first part continues.
  public func encoded() -> (bytes: [UInt8], seed: UInt32) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    let seed = bytes.withUnsafeMutableBytes { bytes in
      bytes.store(segmentNumber, little: 16)
      bytes.store(segmentID.high, little: 24)
      bytes.store(segmentID.low, little: 32)
      bytes.store(firstPosition, little: 40)
      bytes.store(keyCheck, little: 48)
      return bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return (bytes, seed)
  }

  /// Nil if these are not bytes that were written, by this version.
  public static func decode(_ bytes: UnsafeRawBufferPointer) -> (header: RecordIndexHeader, seed: UInt32)? {
    guard bytes.count >= byteCount, bytes.headerFault(magic: magic, version: version, byteCount: byteCount) == nil,
      bytes.little(40, as: UInt64.self) > 0
    else { return nil }
    let header = RecordIndexHeader(
      segmentNumber: bytes.little(16, as: UInt64.self),
      segmentID: SegmentID(high: bytes.little(24, as: UInt64.self), low: bytes.little(32, as: UInt64.self)),
      firstPosition: bytes.little(40, as: UInt64.self), keyCheck: bytes.little(48, as: UInt64.self))
    return (header, bytes.little(byteCount - 4, as: UInt32.self))
  }
}
