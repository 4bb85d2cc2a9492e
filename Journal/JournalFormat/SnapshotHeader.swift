/// The first page of a snapshot (`FORMAT.md`, "Snapshots").
public struct SnapshotHeader: Sendable, Equatable {
  public static let magic: [UInt8] = Array("CARSNAP1".utf8)
  public static let version: UInt32 = 1

  /// Records behind it are not in the snapshot, unless an entry's sequence number says so.
  public var point: JournalPoint
  public var createdMilliseconds: Int64

  public init(point: JournalPoint, createdMilliseconds: Int64) {
    self.point = point
    self.createdMilliseconds = createdMilliseconds
  }

  /// The page as it goes to the disk, and the checksum from which those of the blocks continue.
  public func encoded() -> (page: [UInt8], seed: UInt32) {
    var page = [UInt8](repeating: 0, count: SnapshotLimits.headerByteCount)
    let seed = page.withUnsafeMutableBytes { bytes in
      bytes.store(point.position, little: 16)
      bytes.store(point.segmentNumber, little: 24)
      bytes.store(point.segmentID.high, little: 32)
      bytes.store(point.segmentID.low, little: 40)
      if let base = bytes.baseAddress { point.chainHash.store(to: base + 48) }
      bytes.store(createdMilliseconds, little: 80)
      return bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return (page, seed)
  }

  /// Reads the page at the beginning of `bytes`.
  ///
  /// - Throws: `foreignMagic`, `newerVersion`, `incomplete`, `damaged`.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer
  ) throws(SnapshotFormatError) -> (header: SnapshotHeader, seed: UInt32) {
    let byteCount = SnapshotLimits.headerByteCount
    guard bytes.count >= byteCount else {
      throw bytes.prefix(8).elementsEqual(magic.prefix(bytes.count)) ? .incomplete : .foreignMagic
    }
    if let fault = bytes.headerFault(magic: magic, version: version, byteCount: byteCount) {
      throw SnapshotFormatError(fault)
    }
    guard bytes.little(16, as: UInt64.self) < UInt64.max, bytes.little(24, as: UInt64.self) > 0,
      bytes.slice(88..<4092).isZero, let chainHash = Hash256(bytes.slice(48..<80))
    else { throw .damaged(offset: 0) }
    let point = JournalPoint(
      position: bytes.little(16, as: UInt64.self), chainHash: chainHash,
      segmentNumber: bytes.little(24, as: UInt64.self),
      segmentID: SegmentID(high: bytes.little(32, as: UInt64.self), low: bytes.little(40, as: UInt64.self)))
    let header = SnapshotHeader(point: point, createdMilliseconds: bytes.little(80, as: Int64.self))
    return (header, bytes.little(4092, as: UInt32.self))
  }
}
