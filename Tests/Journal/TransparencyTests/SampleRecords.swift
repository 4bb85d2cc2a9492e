import JournalFormat
import TestSupport
import Transparency

/// A tree as RFC 6962 words it; the one thing it remembers is the hash of each full subtree.
struct LevelTree {
  /// By their height, the hashes of the full subtrees from left to right.
  private let levels: [[Hash256]]

  init(entries: [Hash256]) {
    var levels = [entries.map(MerkleTree.leaf)]
    while let last = levels.last, last.count > 1 {
      levels.append(stride(from: 0, to: last.count - 1, by: 2).map { MerkleTree.node(last[$0], last[$0 + 1]) })
    }
    self.levels = levels
  }

  var size: Int { levels[0].count }

  func head(_ size: Int) -> TreeHead {
    size == 0 ? .empty : TreeHead(size: UInt64(size), root: root(0..<size))
  }

  /// MTH(D[range]).
  func root(_ range: Range<Int>) -> Hash256 {
    let height = range.count.trailingZeroBitCount
    if range.count == 1 << height, range.lowerBound % range.count == 0 {
      return levels[height][range.lowerBound >> height]
    }
    let split = range.lowerBound + Self.split(range.count)
    return MerkleTree.node(root(range.lowerBound..<split), root(split..<range.upperBound))
  }

  /// PATH(index, D[range]): from the leaf's sibling up.
  func inclusion(of index: Int, in range: Range<Int>) -> [Hash256] {
    guard range.count > 1 else { return [] }
    let split = range.lowerBound + Self.split(range.count)
    return index < split
      ? inclusion(of: index, in: range.lowerBound..<split) + [root(split..<range.upperBound)]
      : inclusion(of: index, in: split..<range.upperBound) + [root(range.lowerBound..<split)]
  }

  /// PROOF(old, D[new]).
  func consistency(from old: Int, to new: Int) -> [Hash256] {
    old == 0 || old == new ? [] : subproof(old, 0..<new, isWhole: true)
  }

  private func subproof(_ end: Int, _ range: Range<Int>, isWhole: Bool) -> [Hash256] {
    if end == range.upperBound { return isWhole ? [] : [root(range)] }
    let split = range.lowerBound + Self.split(range.count)
    return end <= split
      ? subproof(end, range.lowerBound..<split, isWhole: isWhole) + [root(split..<range.upperBound)]
      : subproof(end, split..<range.upperBound, isWhole: false) + [root(range.lowerBound..<split)]
  }

  /// The hashes of a tile: `width` of them at height 8 × `level`.
  func tile(level: Int, number: Int, width: Int) -> [UInt8] {
    levels[8 * level][(number * 256)..<(number * 256 + width)].flatMap(\.bytes)
  }

  /// The largest power of two below `count`.
  private static func split(_ count: Int) -> Int { 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount) }
}

/// Records of any content, as a journal might hold them.
struct SampleRecords {
  let records: [DisclosedRecord]
  let tree: LevelTree

  init(_ count: Int, seed: UInt64, bodyByteCountMaximum: Int = 60) {
    var random = SeededGenerator(seed: seed)
    records = (0..<count).compactMap { _ in
      DisclosedRecord(
        salt: random.bytes(16), body: random.bytes(Int.random(in: 1...bodyByteCountMaximum, using: &random)))
    }
    tree = LevelTree(entries: records.map(\.entry))
  }

  func proof(_ index: Int, in note: SignedNote, size: Int) -> LogProof {
    LogProof(
      record: records[index], index: UInt64(index), hashes: tree.inclusion(of: index, in: 0..<size), note: note)
  }
}

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { withUnsafeBytes(of: next()) { bytes += $0 } }
    return Array(bytes.prefix(count))
  }
}
