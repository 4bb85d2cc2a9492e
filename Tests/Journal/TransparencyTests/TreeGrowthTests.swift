import JournalFormat
import TestSupport
import Testing
import Transparency

@Suite("A tree that grows")
struct TreeGrowthTests {
  private static let leaves = ReferenceTree.entries(300).map { MerkleTree.leaf($0) }

  @Test("its root is that of the reference at every size, leaf by leaf")
  func leafByLeaf() {
    var edge = TreeEdge()
    #expect(edge.head == .empty)
    for size in 1...Self.leaves.count {
      edge.append(Self.leaves[size - 1])
      #expect(edge.size == UInt64(size))
      #expect(edge.root == ReferenceTree.root(Self.leaves.prefix(size)))
    }
  }

  @Test("many leaves at a time make the same tree, whatever the pieces", arguments: [[1], [7], [256], [255, 2, 900]])
  func pieces(sizes: [Int]) {
    let entries = ReferenceTree.entries(3_000)
    var edge = TreeEdge()
    for entry in entries { edge.append(MerkleTree.leaf(entry)) }
    let tiles = MemoryTiles(entries, pieces: sizes)
    #expect(tiles.edge == edge)
    #expect(tiles.rows[0] == entries.map { MerkleTree.leaf($0) })
    let subtrees = stride(from: 0, to: 2816, by: 256).map { ReferenceTree.root(tiles.rows[0][$0..<($0 + 256)]) }
    #expect(tiles.rows.count == 2 && tiles.rows[1] == subtrees)
  }

  @Test("every 65,536 leaves give a hash of the third row")
  func thirdRow() {
    let entries = ReferenceTree.entries(140_000)
    let tiles = MemoryTiles(entries, pieces: [50_000, 1, 9_999])
    #expect(tiles.rows.map(\.count) == [140_000, 546, 2])
    #expect(tiles.rows[2] == [0, 256].map { ReferenceTree.root(tiles.rows[1][$0..<($0 + 256)]) })
    #expect(tiles.edge.root == ReferenceTree.root(tiles.rows[0][...]))
  }

  @Test("it goes on from an edge as if it had all the leaves before", arguments: [1, 255, 256, 300, 511, 777])
  func goesOn(beginning: Int) throws {
    let entries = ReferenceTree.entries(1_500)
    let whole = MemoryTiles(entries)
    let start = MemoryTiles(Array(entries.prefix(beginning))).edge
    let again = try #require(TreeEdge(size: start.size, hashes: start.hashes))
    let tiles = MemoryTiles(Array(entries.dropFirst(beginning)), pieces: [100], beginning: again)
    #expect(tiles.edge == whole.edge)
    for (row, other) in zip(tiles.rows, whole.rows) {
      let known = row.drop { $0 == .zero }
      #expect(known.elementsEqual(other.suffix(known.count)))
    }
  }

  @Test("an edge with too many hashes, too few, or of too many leaves is none")
  func wrongEdges() {
    #expect(TreeEdge(size: 3, hashes: [.zero]) == nil)
    #expect(TreeEdge(size: 4, hashes: [.zero, .zero]) == nil)
    #expect(TreeEdge(size: 0, hashes: [])?.head == .empty)
    #expect(TreeEdge(size: 1 << 63, hashes: [.zero])?.root == .zero)
    #expect(TreeEdge(size: 1 << 63 + 1, hashes: [.zero, .zero]) == nil)
  }

  @Test("two entries of zeros have the hashes that any other program computes")
  func knownHashes() {
    let zero = MerkleTree.leaf(.zero)
    #expect(zero.description == "7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9")
    #expect(
      TreeEdge(size: 2, hashes: [MerkleTree.node(zero, zero)])?.root.description
        == "a4b8c7873a49d5d53af0b2a0202486483020d95935d763edc4ef2f602200d8de")
  }
}
