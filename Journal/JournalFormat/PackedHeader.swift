/// The first 256 bytes of a packed segment (`FORMAT.md`, "Packed segment").
public struct PackedHeader: Sendable, Equatable {
  public static let magic: [UInt8] = Array("CARIPACK".utf8)
  public static let version: UInt32 = 1
  public static let byteCount = 256

  /// The header of the segment that was packed, with the size that it had.
  public var segment: SegmentHeader
  /// Of the whole packed file.
  public var fileByteCount: Int
  public var frameCount: Int
  public var recordCount: Int
  public var blockCount: Int
  /// Of the segment as it is made again in memory: a multiple of 4096.
  public var expandedByteCount: Int
  /// Chain hash of the last frame.
  public var headHash: Hash256
}

extension PackedHeader {
  /// The header as it goes to the disk, and the checksum from which that of the first block continues, which depends on
  /// the segment only.
  func encoded() -> (bytes: [UInt8], seed: UInt32) {
    let page = segment.encoded().page
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    let seed = bytes.withUnsafeMutableBytes { bytes in
      bytes.store(UInt64(clamping: fileByteCount), little: 16)
      bytes.store(UInt64(clamping: expandedByteCount), little: 24)
      bytes.store(UInt64(clamping: recordCount), little: 32)
      bytes.store(UInt32(clamping: frameCount), little: 40)
      bytes.store(UInt32(clamping: blockCount), little: 44)
      if let base = bytes.baseAddress { headHash.store(to: base + 48) }
      // The fields of the segment's own header, at their old distances.
      UnsafeMutableRawBufferPointer(rebasing: bytes[128..<240]).copyBytes(from: page[16..<128])
      _ = bytes.closeHeader(magic: Self.magic, version: Self.version)
      return UnsafeRawBufferPointer(rebasing: bytes[128..<240]).checksum(seed: 0)
    }
    return (bytes, seed)
  }

  /// Reads the header at the beginning of `bytes`; every field is bounded.
  ///
  /// - Throws: `foreignMagic`, `newerVersion`, `headerIncomplete`, `headerDamaged`.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer
  ) throws(FormatError) -> (header: PackedHeader, seed: UInt32) {
    guard bytes.count >= byteCount else { throw .headerIncomplete }
    if let fault = bytes.headerFault(magic: magic, version: version, byteCount: byteCount) { throw FormatError(fault) }
    guard let fileSize = Int(exactly: bytes.little(16, as: UInt64.self)), fileSize >= byteCount,
      fileSize <= FormatLimits.segmentReadByteCountMaximum,
      let expanded = Int(exactly: bytes.little(24, as: UInt64.self)),
      FormatLimits.isReadableSegmentByteCount(expanded),
      let records = Int(exactly: bytes.little(32, as: UInt64.self)),
      records <= expanded / FormatLimits.recordByteCountMinimum,
      let headHash = Hash256(bytes.slice(48..<80)), bytes.slice(80..<128).isZero, bytes.slice(240..<252).isZero
    else { throw .headerDamaged }
    let frames = Int(bytes.little(40, as: UInt32.self))
    let blocks = Int(bytes.little(44, as: UInt32.self))
    guard frames <= expanded / FrameHeader.byteCount, blocks <= frames,
      let segment = SegmentHeader.decodeFields(bytes, from: 128)
    else { throw .headerDamaged }
    let header = PackedHeader(
      segment: segment, fileByteCount: fileSize, frameCount: frames, recordCount: records, blockCount: blocks,
      expandedByteCount: expanded, headHash: headHash)
    return (header, bytes.slice(128..<240).checksum(seed: 0))
  }
}
