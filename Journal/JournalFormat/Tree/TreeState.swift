/// What is kept of the tree over a journal's records beside its hashes: how far it goes, and its edge (`FORMAT.md`,
/// "Tree").
public struct TreeState: Sendable, Equatable {
  static let magic: [UInt8] = Array("CARITREE".utf8)
  static let version: UInt32 = 1
  private static let fixedByteCount = 128
  /// No tree has an edge of more hashes.
  private static let edgeCountMaximum = 64
  /// No file is longer.
  public static let byteCountMaximum = fixedByteCount + 2 * edgeCountMaximum * 32 + 4

  /// The records up to it are in the tree: its position is the tree's size.
  public var point: JournalPoint
  public var root: Hash256
  /// The roots of the full subtrees that the tree is made of, the largest first.
  public var edge: [Hash256]
  /// The records up to this position are in the tree, but their hashes are not kept.
  public var beginning: UInt64
  /// The edge of the tree up to there.
  public var beginningEdge: [Hash256]

  public init(
    point: JournalPoint, root: Hash256, edge: [Hash256], beginning: UInt64 = 0, beginningEdge: [Hash256] = []
  ) {
    self.point = point
    self.root = root
    self.edge = edge
    self.beginning = beginning
    self.beginningEdge = beginningEdge
  }

  /// The file as it goes to the disk.
  public func encoded() -> [UInt8] {
    let hashes = edge + beginningEdge
    var bytes = [UInt8](repeating: 0, count: Self.fixedByteCount + hashes.count * 32 + 4)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(point.position, little: 16)
      bytes.store(point.segmentNumber, little: 24)
      bytes.store(point.segmentID.high, little: 32)
      bytes.store(point.segmentID.low, little: 40)
      bytes.store(beginning, little: 112)
      if let base = bytes.baseAddress {
        point.chainHash.store(to: base + 48)
        root.store(to: base + 80)
        for (index, hash) in hashes.enumerated() { hash.store(to: base + Self.fixedByteCount + index * 32) }
      }
      _ = bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return bytes
  }

  /// - Throws: `foreignMagic`, `newerVersion`, `headerIncomplete`, `headerDamaged`.
  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(FormatError) -> TreeState {
    guard bytes.count >= fixedByteCount + 4 else { throw .headerIncomplete }
    guard bytes.count <= byteCountMaximum else { throw .headerDamaged }
    if let fault = bytes.headerFault(magic: magic, version: version, byteCount: bytes.count) {
      throw FormatError(fault)
    }
    let (size, beginning) = (bytes.little(16, as: UInt64.self), bytes.little(112, as: UInt64.self))
    let (count, beginningCount) = (size.nonzeroBitCount, beginning.nonzeroBitCount)
    guard bytes.count == fixedByteCount + (count + beginningCount) * 32 + 4, size > 0, beginning <= size,
      bytes.slice(120..<128).isZero, let chainHash = Hash256(bytes.slice(48..<80)),
      let root = Hash256(bytes.slice(80..<112))
    else { throw .headerDamaged }
    let hashes = (0..<(count + beginningCount)).compactMap { index in
      Hash256(bytes.slice((fixedByteCount + index * 32)..<(fixedByteCount + index * 32 + 32)))
    }
    let point = JournalPoint(
      position: size, chainHash: chainHash, segmentNumber: bytes.little(24, as: UInt64.self),
      segmentID: SegmentID(high: bytes.little(32, as: UInt64.self), low: bytes.little(40, as: UInt64.self)))
    return TreeState(
      point: point, root: root, edge: Array(hashes[..<count]), beginning: beginning,
      beginningEdge: Array(hashes[count...]))
  }
}
