/// The name of a tile: up to 256 hashes that stand beside each other in one row, or as many entries.
///
/// A row has the hashes of every eighth height, from the leaves' up. Spec: C2SP tlog-tiles.
public struct TileAddress: Sendable, Hashable {
  public enum Row: Sendable, Hashable {
    /// Of height 8 × `level`.
    case hashes(level: Int)
    /// What the leaves are the hashes of.
    case entries
  }

  public let row: Row
  /// Tiles of the row before it.
  public let index: UInt64
  /// Hashes in it: 256, or fewer in the last one of a row.
  public let width: Int

  public static let widthMaximum = 256
  /// Bytes of one hash in a tile.
  public static let hashByteCount = 32
  /// Heights from one row to the next.
  static let rowHeight: UInt64 = 8
  /// Rows of the largest tree.
  public static let levelCount = 8
  /// No address is longer.
  public static let textByteCountMaximum = 64

  /// - Returns: nil if no tree has such a tile.
  public init?(_ row: Row, index: UInt64, width: Int = widthMaximum) {
    guard (1...Self.widthMaximum).contains(width) else { return nil }
    let height: UInt64
    switch row {
    case .hashes(let level):
      guard (0..<Self.levelCount).contains(level) else { return nil }
      height = UInt64(level) * Self.rowHeight
    case .entries: height = 0
    }
    // What its hashes stand for are leaves that a tree may have.
    let most = MerkleTree.maximumSize >> height
    guard index <= most / UInt64(Self.widthMaximum),
      index * UInt64(Self.widthMaximum) + UInt64(width) <= most
    else { return nil }
    (self.row, self.index, self.width) = (row, index, width)
  }

  /// The tile of that place as a tree of `size` has it; nil if it has none there.
  public init?(_ row: Row, index: UInt64, in size: UInt64) {
    let count = Self.count(row, in: size)
    guard size <= MerkleTree.maximumSize, index <= count / UInt64(Self.widthMaximum) else { return nil }
    self.init(row, index: index, width: Int(min(count - index * UInt64(Self.widthMaximum), UInt64(Self.widthMaximum))))
  }

  public var isPartial: Bool { width < Self.widthMaximum }

  /// The hashes that it has, as places in the row.
  public var places: Range<UInt64> {
    let first = index * UInt64(Self.widthMaximum)
    return first..<(first + UInt64(width))
  }

  /// The smallest tree that has all of it.
  public var treeSize: UInt64 {
    guard case .hashes(let level) = row else { return places.upperBound }
    return places.upperBound << (UInt64(level) * Self.rowHeight)
  }

  /// Whether a tree of `size` has all of it.
  public func isThere(in size: UInt64) -> Bool { treeSize <= size }

  /// How many hashes or entries a row has in a tree of `size`.
  public static func count(_ row: Row, in size: UInt64) -> UInt64 {
    guard case .hashes(let level) = row else { return size }
    return size >> (UInt64(level) * rowHeight)
  }

  /// The tiles that are not full in a tree of `size`: those that a larger tree has wider.
  ///
  /// - Returns: at most one for each level, from the leaves up; without entries.
  public static func partial(in size: UInt64) -> [TileAddress] {
    (0..<levelCount).compactMap { level in
      let row = Row.hashes(level: level)
      let tile = TileAddress(row, index: count(row, in: size) / UInt64(widthMaximum), in: size)
      return tile?.isPartial == true ? tile : nil
    }
  }
}
