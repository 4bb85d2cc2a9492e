/// The last bytes of a snapshot: what is in it, and the checksum of all that stands before.
public struct SnapshotFooter: Sendable, Equatable {
  public static let magic: [UInt8] = Array("CARSNEND".utf8)

  /// Of the footer itself: everything before it belongs to the snapshot.
  public var offset: Int
  /// Of the block that lists the index blocks.
  public var tableOffset: Int
  public var entryCount: UInt64
  /// Entries without a state.
  public var finishedCount: UInt64
  /// Before compression.
  public var stateByteCount: UInt64
  /// Before compression.
  public var indexByteCount: UInt64
  /// CRC-32C of all bytes before the footer.
  public var checksum: UInt32

  public init(
    offset: Int, tableOffset: Int, entryCount: UInt64, finishedCount: UInt64, stateByteCount: UInt64,
    indexByteCount: UInt64, checksum: UInt32
  ) {
    self.offset = offset
    self.tableOffset = tableOffset
    self.entryCount = entryCount
    self.finishedCount = finishedCount
    self.stateByteCount = stateByteCount
    self.indexByteCount = indexByteCount
    self.checksum = checksum
  }

  /// - Parameter seed: the header's checksum.
  public func encoded(seed: UInt32) -> [UInt8] {
    var footer = [UInt8](repeating: 0, count: SnapshotLimits.footerByteCount)
    footer.withUnsafeMutableBytes { bytes in
      bytes.copyBytes(from: Self.magic)
      bytes.store(UInt64(offset), little: 8)
      bytes.store(UInt64(tableOffset), little: 16)
      bytes.store(entryCount, little: 24)
      bytes.store(finishedCount, little: 32)
      bytes.store(stateByteCount, little: 40)
      bytes.store(indexByteCount, little: 48)
      bytes.store(checksum, little: 56)
      bytes.store(UnsafeRawBufferPointer(rebasing: bytes[..<76]).checksum(seed: seed), little: 76)
    }
    return footer
  }

  /// - Parameters:
  ///   - bytes: the last ones of the file, as many as a footer has.
  ///   - offset: where they stand in the file.
  ///   - seed: the header's checksum.
  /// - Throws: `incomplete` if no footer stands here, `damaged` if it is the right place and the bytes are wrong.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, seed: UInt32
  ) throws(SnapshotFormatError) -> SnapshotFooter {
    guard bytes.count == SnapshotLimits.footerByteCount else { throw .incomplete }
    let end = bytes.little(8, as: UInt64.self)
    guard bytes.slice(0..<76).checksum(seed: seed) == bytes.little(76, as: UInt32.self) else {
      throw bytes.starts(with: magic) || end == UInt64(offset) ? .damaged(offset: offset) : .incomplete
    }
    let table = bytes.little(16, as: UInt64.self)
    guard bytes.starts(with: magic), end == UInt64(offset), table >= UInt64(SnapshotLimits.headerByteCount),
      table < end, bytes.little(32, as: UInt64.self) <= bytes.little(24, as: UInt64.self),
      bytes.slice(60..<76).isZero
    else { throw .damaged(offset: offset) }
    return SnapshotFooter(
      offset: offset, tableOffset: Int(table), entryCount: bytes.little(24, as: UInt64.self),
      finishedCount: bytes.little(32, as: UInt64.self), stateByteCount: bytes.little(40, as: UInt64.self),
      indexByteCount: bytes.little(48, as: UInt64.self), checksum: bytes.little(56, as: UInt32.self))
  }
}
