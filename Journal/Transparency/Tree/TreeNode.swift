/// A full subtree: the leaves from `index << height` on, 2 to the power of `height` of them.
public struct TreeNode: Sendable, Hashable {
  public let height: UInt64
  public let index: UInt64

  public init(height: UInt64, index: UInt64) {
    self.height = height
    self.index = index
  }

  public var leaves: Range<UInt64> { (index << height)..<((index + 1) << height) }

  /// The two that it is the parent of; nil if it is a leaf.
  var children: (left: TreeNode, right: TreeNode)? {
    guard height > 0 else { return nil }
    return (
      TreeNode(height: height - 1, index: index * 2), TreeNode(height: height - 1, index: index * 2 + 1)
    )
  }

  /// The full subtrees that a stretch of a tree is made of, from the left.
  ///
  /// - Parameter leaves: begin where a subtree begins that is at least as large as they are many.
  static func nodes(of leaves: Range<UInt64>) -> [TreeNode] {
    var nodes: [TreeNode] = []
    var start = leaves.lowerBound
    while start < leaves.upperBound {
      let height = UInt64(63 - (leaves.upperBound - start).leadingZeroBitCount)
      nodes.append(TreeNode(height: height, index: start >> height))
      start += 1 << height
    }
    return nodes
  }
}

/// Of which subtrees the hashes of a proof are made: each of those that stand beside each other, from the left.
/// Spec: RFC 6962, sections 2.1.1 and 2.1.2.
enum TreeProofPlan {
  /// That the leaf `index` is one of a tree of `size`; `index` is below it.
  static func inclusion(of index: UInt64, in size: UInt64) -> [[TreeNode]] {
    var plan: [[TreeNode]] = []
    var leaves = 0..<size
    while leaves.upperBound - leaves.lowerBound > 1 {
      let middle = split(leaves)
      let isLeft = index < middle
      plan.append(TreeNode.nodes(of: isLeft ? middle..<leaves.upperBound : leaves.lowerBound..<middle))
      leaves = isLeft ? leaves.lowerBound..<middle : middle..<leaves.upperBound
    }
    return plan.reversed()
  }

  /// That a tree of `new` begins with that of `old`, which is not larger.
  static func consistency(from old: UInt64, to new: UInt64) -> [[TreeNode]] {
    guard old > 0, old < new else { return [] }
    var plan: [[TreeNode]] = []
    var leaves = 0..<new
    while leaves.upperBound != old {
      let middle = split(leaves)
      let isLeft = old <= middle
      plan.append(TreeNode.nodes(of: isLeft ? middle..<leaves.upperBound : leaves.lowerBound..<middle))
      leaves = isLeft ? leaves.lowerBound..<middle : middle..<leaves.upperBound
    }
    // Whoever has the old root knows the old tree as a whole.
    if leaves.lowerBound > 0 { plan.append(TreeNode.nodes(of: leaves)) }
    return plan.reversed()
  }

  /// Where a stretch of two leaves or more is split: behind the largest power of two that is smaller than it.
  private static func split(_ leaves: Range<UInt64>) -> UInt64 {
    let count = leaves.upperBound - leaves.lowerBound
    return leaves.lowerBound + 1 << UInt64(63 - (count - 1).leadingZeroBitCount)
  }
}
