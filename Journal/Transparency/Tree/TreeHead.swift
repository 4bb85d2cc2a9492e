public import JournalFormat

/// What a checkpoint says of a tree: how many records it has, and the one hash that stands for all of them.
public struct TreeHead: Sendable, Hashable {
  public let size: UInt64
  public let root: Hash256

  public init(size: UInt64, root: Hash256) {
    self.size = size
    self.root = root
  }

  public static let empty = TreeHead(size: 0, root: MerkleTree.emptyRoot)
}
