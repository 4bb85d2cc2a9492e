import JournalFormat
import TestSupport
import Transparency

/// The tree as RFC 6962 writes it down: by recursion, over all leaves each time.
enum ReferenceTree {
  /// Entries that are different from each other.
  static func entries(_ count: Int, seed: UInt64 = 1) -> [Hash256] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      withUnsafeBytes(of: (generator.next(), generator.next(), generator.next(), generator.next())) {
        Hash256($0) ?? .zero
      }
    }
  }

  /// MTH. Spec: RFC 6962, section 2.1.
  static func root(_ leaves: ArraySlice<Hash256>) -> Hash256 {
    guard let first = leaves.first else { return MerkleTree.emptyRoot }
    guard leaves.count > 1 else { return first }
    let middle = leaves.startIndex + split(leaves.count)
    return MerkleTree.node(root(leaves[..<middle]), root(leaves[middle...]))
  }

  /// PATH. Spec: RFC 6962, section 2.1.1.
  static func path(_ index: Int, _ leaves: ArraySlice<Hash256>) -> [Hash256] {
    guard leaves.count > 1 else { return [] }
    let count = split(leaves.count)
    let (left, right) = (leaves.prefix(count), leaves.dropFirst(count))
    return index < count ? path(index, left) + [root(right)] : path(index - count, right) + [root(left)]
  }

  /// PROOF. Spec: RFC 6962, section 2.1.2.
  static func proof(_ old: Int, _ leaves: ArraySlice<Hash256>) -> [Hash256] {
    old == 0 ? [] : subproof(old, leaves, isWhole: true)
  }

  private static func subproof(_ old: Int, _ leaves: ArraySlice<Hash256>, isWhole: Bool) -> [Hash256] {
    if old == leaves.count { return isWhole ? [] : [root(leaves)] }
    let count = split(leaves.count)
    let (left, right) = (leaves.prefix(count), leaves.dropFirst(count))
    return old <= count
      ? subproof(old, left, isWhole: isWhole) + [root(right)]
      : subproof(old - count, right, isWhole: false) + [root(left)]
  }

  private static func split(_ count: Int) -> Int {
    var power = 1
    while power * 2 < count { power *= 2 }
    return power
  }
}

/// Tiles in memory, as a growth has made them.
struct MemoryTiles: TileSource {
  private(set) var rows: [[Hash256]] = []
  private(set) var edge = TreeEdge()
  /// Hashes before these places, by row, are forgotten.
  private var missing: [Int] = []

  init() {}

  /// - Parameter pieces: sizes of the pieces in which the entries come.
  init(_ entries: [Hash256], pieces: [Int] = [.max], beginning: TreeEdge = TreeEdge()) {
    var growth = TreeGrowth(beginning)
    var rest = entries[...]
    var turn = 0
    while !rest.isEmpty {
      growth.append(Array(rest.prefix(pieces[turn % pieces.count])))
      rest = rest.dropFirst(pieces[turn % pieces.count])
      turn += 1
      take(growth.rows)
      growth.clearRows()
    }
    edge = growth.edge
  }

  private mutating func take(_ new: [TreeGrowth.Row]) {
    for (level, row) in new.enumerated() {
      if rows.count <= level {
        rows.append(Array(repeating: .zero, count: Int(row.firstIndex)))
        missing.append(Int(row.firstIndex))
      }
      precondition(rows[level].count == Int(row.firstIndex), "a row grows without gaps")
      rows[level] += row.hashes
    }
  }

  func hashes(of tile: TileAddress) throws -> [UInt8] {
    guard case .hashes(let level) = tile.row else { preconditionFailure("nobody asks for entries") }
    return rows[level][Int(tile.places.lowerBound)..<Int(tile.places.upperBound)].flatMap(\.bytes)
  }
}
