public import JournalFormat
public import SystemPackage
public import Transparency

/// Checks a journal's tree while the journal's frames and leaves go by in order: every hash of every row, from the
/// leaves up. What stands before the journal's beginning is checked as far as hashes alone can be.
public struct TreeAudit: ~Copyable {
  private let files: TreeFiles
  private let state: TreeState
  private let tiles: StoredTiles
  private var growth: TreeGrowth
  private var entries: [UInt8] = []
  /// The hashes of the leaves before this place were compared.
  private var comparedTo: UInt64
  private var isBegun = false
  /// The point up to which the tree goes is one of this journal.
  private var isFound = false
  private var firstPosition: UInt64?
  private var lastPosition: UInt64 = 0
  private var fault: TreeError?
  /// The root in the state is not that of the hashes.
  private var rootFault: TreeError?

  /// Leaves that are compared together: whole tiles, but for the first and the last ones.
  private static let stepCount: UInt64 = 4096

  /// Before the journal is read: a tree that a running server makes meanwhile may be further than what the reader sees.
  ///
  /// - Parameter directory: the journal's.
  /// - Throws: `notMade` if there is no tree; `stateDamaged`, `newerVersion`, `cutTile`, `journal`.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) throws(TreeError) {
    let tree = JournalTree(directory: directory, storage: storage)
    guard let state = try tree.files.state() else { throw .notMade }
    var fault: TreeError?
    do throws(TreeError) {
      _ = try tree.look()
    } catch {
      guard case .rootDiffers = error else { throw error }
      fault = error
    }
    (files, self.state, rootFault) = (tree.files, state, fault)
    let beginning = TreeEdge(size: state.beginning, hashes: state.beginningEdge) ?? TreeEdge()
    tiles = StoredTiles(tree.files, beginning: state.beginning)
    growth = TreeGrowth(beginning)
    comparedTo = beginning.size
  }

  /// The tree as it says itself.
  public var head: TreeHead { TreeHead(size: size, root: state.root) }
  private var size: UInt64 { state.point.position }
  /// The records up to here are in it only as a whole.
  public var beginning: UInt64 { state.beginning }

  /// Takes the next frame.
  public mutating func add(_ frame: FrameInfo) {
    if firstPosition == nil { firstPosition = frame.header.firstPosition }
    lastPosition = frame.header.endPosition - 1
    if lastPosition == size, frame.header.chainHash == state.point.chainHash { isFound = true }
  }

  /// Takes the leaves of the next frame that has some.
  public mutating func add(_ firstPosition: UInt64, _ leaves: FrameLeaves) {
    guard fault == nil, firstPosition <= size, firstPosition > beginning else { return }
    if !isBegun {
      isBegun = true
      begin(at: firstPosition - 1)
    }
    leaves.append(to: &entries)
    let end = comparedTo + UInt64(entries.count / 32)
    let aligned = end / Self.stepCount * Self.stepCount
    if aligned > comparedTo { compare(upTo: aligned) }
  }

  /// After the last frame.
  ///
  /// - Throws: `otherJournal`; `otherLog`, `hashDiffers`, with the first position; `rootDiffers`, `journal`.
  public mutating func finish() throws(TreeError) {
    if let firstPosition, firstPosition <= size {
      guard isFound else { throw .otherJournal(files.stateFile, size: size) }
    }
    if !isBegun { begin(at: size) }
    if fault == nil { compare(upTo: min(size, comparedTo + UInt64(entries.count / 32))) }
    if let fault { throw fault }
    guard rootFault == nil, growth.edge.hashes == state.edge else { throw .rootDiffers(files.stateFile, size: size) }
  }

  /// Compares what stands above the leaves of records that are gone.
  private mutating func begin(at position: UInt64) {
    // Leaves that the tree has forgotten are skipped by whoever compares.
    guard position > comparedTo else { return }
    while fault == nil, comparedTo < position {
      let end = min(comparedTo / Self.stepCount * Self.stepCount + Self.stepCount, position)
      do {
        let bytes = try tiles.read(0, comparedTo..<end)
        bytes.withUnsafeBytes { growth.append(leaves: $0) }
        comparedTo = end
        try compareRows(from: 1)
      } catch {
        fault = JournalTree.error(error)
      }
    }
  }

  private mutating func compare(upTo end: UInt64) {
    guard end > comparedTo else { return }
    let count = Int(end - comparedTo) * 32
    entries.withUnsafeBytes { growth.append(entries: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    entries.removeFirst(count)
    comparedTo = end
    do {
      try compareRows(from: 0)
    } catch {
      fault = JournalTree.error(error)
    }
  }

  /// - Throws: `otherLog`, `hashDiffers`; `StorageError`.
  private mutating func compareRows(from lowest: Int) throws {
    for (level, row) in growth.rows.enumerated() where level >= lowest && !row.hashes.isEmpty {
      let places = row.firstIndex..<(row.firstIndex + UInt64(row.hashes.count))
      let found = try tiles.read(level, places)
      let differing = row.hashes.withUnsafeBytes { expected in
        row.hashes.indices.filter { index in
          let range = (index * 32)..<(index * 32 + 32)
          return range.upperBound > found.count || !expected[range].elementsEqual(found[range])
        }
      }
      guard let first = differing.first else { continue }
      throw difference(level, places, differing, first: first)
    }
    growth.clearRows()
  }

  private func difference(_ level: Int, _ places: Range<UInt64>, _ differing: [Int], first: Int) -> TreeError {
    let place = places.lowerBound + UInt64(first)
    let width = UInt64(TileAddress.widthMaximum)
    let position = place << (8 * UInt64(level)) + 1
    guard let tile = TileAddress(.hashes(level: level), index: place / width, in: size) else {
      return .rootDiffers(files.stateFile, size: size)
    }
    let compared = places.clamped(to: tile.places)
    let wrong = differing.count { compared.contains(places.lowerBound + UInt64($0)) }
    // One hash by itself may be anything.
    return wrong == compared.count && wrong > 1
      ? .otherLog(files.row(level), tile, position: position)
      : .hashDiffers(files.row(level), tile, position: position)
  }
}
