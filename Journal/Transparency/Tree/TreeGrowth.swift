public import JournalFormat

/// Makes a tree grow by many leaves at a time, and says what comes into its rows of tiles.
///
/// Nodes of one height do not depend on each other, so each height is hashed as a whole, many messages side by side.
/// Belongs to one thread at a time.
public struct TreeGrowth: ~Copyable {
  public private(set) var edge: TreeEdge
  /// What has come into each row of tiles since `clearRows`, by row.
  public private(set) var rows: [Row] = []
  private var batch = SHA256Batch()

  /// New hashes of one row, in order.
  public struct Row: Sendable {
    /// Of the first of them: so many stand before it in the row.
    public let firstIndex: UInt64
    public fileprivate(set) var hashes: [Hash256] = []
  }

  /// So many leaves are hashed together: what is worked on stays near the processor.
  private static let stepCount = 4096

  public init(_ edge: TreeEdge = TreeEdge()) { self.edge = edge }

  /// Adds leaves.
  ///
  /// - Parameter entries: the records' own leaves, as the chain has them, 32 bytes each.
  public mutating func append(entries: UnsafeRawBufferPointer) {
    precondition(entries.count % 32 == 0, "an entry has 32 bytes")
    precondition(UInt64(entries.count / 32) <= MerkleTree.maximumSize - edge.size, "a tree has at most 2^63 leaves")
    for start in stride(from: 0, to: entries.count, by: Self.stepCount * 32) {
      let end = min(start + Self.stepCount * 32, entries.count)
      grow(leaves(of: UnsafeRawBufferPointer(rebasing: entries[start..<end])))
    }
  }

  public mutating func append(_ entries: [Hash256]) { entries.withUnsafeBytes { append(entries: $0) } }

  /// Adds leaves that are known already, hashes of the tree (`MerkleTree.leaf`), 32 bytes each.
  public mutating func append(leaves: UnsafeRawBufferPointer) {
    precondition(leaves.count % 32 == 0, "a leaf has 32 bytes")
    precondition(UInt64(leaves.count / 32) <= MerkleTree.maximumSize - edge.size, "a tree has at most 2^63 leaves")
    grow((0..<(leaves.count / 32)).compactMap { Hash256(UnsafeRawBufferPointer(rebasing: leaves[($0 * 32)...])) })
  }

  /// Forgets what has come into the rows: whoever keeps them has it.
  public mutating func clearRows() { rows.removeAll(keepingCapacity: true) }

  /// ```
  ///  height 1        old ┌─ new ┐ ┌─ new ┐        what the old edge has at a height is the left one of the first pair,
  ///  height 0   old new  new new  new new  new    what has no partner is the new edge at that height
  /// ```
  private mutating func grow(_ leaves: [Hash256]) {
    let size = edge.size
    var level = leaves
    var lowest: [Hash256] = []
    var usedCount = 0
    var height: UInt64 = 0
    while !level.isEmpty {
      if height % TileAddress.rowHeight == 0 { add(level, to: Int(height / TileAddress.rowHeight), size >> height) }
      if (size >> height) & 1 == 1 {
        usedCount += 1
        level.insert(edge.hashes[edge.hashes.count - usedCount], at: 0)
      }
      if level.count % 2 == 1 { lowest.append(level.removeLast()) }
      level = parents(of: level)
      height += 1
    }
    edge.replaceLowest(usedCount, by: lowest, newSize: size + UInt64(leaves.count))
  }

  private mutating func add(_ hashes: [Hash256], to row: Int, _ firstIndex: UInt64) {
    while rows.count <= row { rows.append(Row(firstIndex: edge.size >> (UInt64(rows.count) * TileAddress.rowHeight))) }
    rows[row].hashes.append(contentsOf: hashes)
    precondition(rows[row].firstIndex + UInt64(rows[row].hashes.count) == firstIndex + UInt64(hashes.count), "no gaps")
  }

  private mutating func leaves(of entries: UnsafeRawBufferPointer) -> [Hash256] {
    digests(of: entries, byteCount: 32, head: MerkleTree.leafHead)
  }

  private mutating func parents(of level: [Hash256]) -> [Hash256] {
    level.withUnsafeBytes { digests(of: $0, byteCount: 64, head: MerkleTree.nodeHead) }
  }

  /// The digests of stretches of `byteCount` bytes, each behind one byte.
  private mutating func digests(of bytes: UnsafeRawBufferPointer, byteCount: Int, head: UInt8) -> [Hash256] {
    let count = bytes.count / byteCount
    return [Hash256](unsafeUninitializedCapacity: count) { target, filledCount in
      guard let digests = target.baseAddress else { return }
      withUnsafeBytes(of: head) { head in
        for index in 0..<count {
          batch.append(
            head: head, body: UnsafeRawBufferPointer(rebasing: bytes[(index * byteCount)..<((index + 1) * byteCount)]),
            digest: UnsafeMutableRawPointer(digests + index))
        }
        batch.run()
      }
      filledCount = count
    }
  }
}
