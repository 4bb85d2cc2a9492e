internal import JournalFormat
internal import Synchronization
internal import SystemPackage
internal import Transparency

extension JournalTree {
  /// Lets this process read the tree as it is on the disk, without making anything: for tools beside a server, whose tree
  /// may be a few seconds further.
  ///
  /// - Throws: `notMade`, `lost`; `stateDamaged`, `newerVersion`, `rootDiffers`, `cutTile`, `otherJournal`, `journal`.
  public func open() throws(TreeError) {
    do {
      guard let (state, edge, beginning) = try look() else {
        // If it could not even be made, that is what is wrong.
        _ = try start()
        throw TreeError.notMade
      }
      guard try LeafReader(journal: journal).holds(state.point) else {
        throw TreeError.otherJournal(files.stateFile, size: edge.size)
      }
      known.withLock { known in
        (known.edge, known.beginning, known.isMade) = (edge, beginning, true)
      }
    } catch {
      throw Self.error(error)
    }
  }

  /// What is there, after the cheap checks: of the state itself, of the lengths of the rows, and of the hashes that its
  /// edge is made of.
  ///
  /// - Returns: nil if there is nothing.
  func look() throws(TreeError) -> (state: TreeState, edge: TreeEdge, beginning: TreeEdge)? {
    guard let state = try files.state() else { return nil }
    guard let (edge, beginning) = TreeFiles.edges(of: state) else {
      throw .rootDiffers(files.stateFile, size: state.point.position)
    }
    try checkLengths(edge.size, beginning.size)
    let tiles = StoredTiles(files, beginning: beginning.size)
    var prover = TileProver(size: edge.size, beginning: beginning, source: tiles)
    do {
      guard try prover.edge(at: edge.size) == edge else {
        throw TreeError.rootDiffers(files.stateFile, size: edge.size)
      }
    } catch {
      throw Self.error(error)
    }
    return (state, edge, beginning)
  }

  private func checkLengths(_ size: UInt64, _ beginning: UInt64) throws(TreeError) {
    for level in 0..<TileAddress.levelCount {
      let needed = TreeFiles.byteCount(level, in: size, beginning: beginning)
      guard needed > 0 else { continue }
      let found: Int
      do {
        found = try byteCount(of: files.row(level))
      } catch {
        throw TreeError(error)
      }
      guard found < needed else { continue }
      let place = TreeFiles.firstIndex(level, beginning: beginning) + UInt64(found / 32)
      let row = TileAddress.Row.hashes(level: level)
      guard let tile = TileAddress(row, index: place / UInt64(TileAddress.widthMaximum), in: size) else { continue }
      throw .cutTile(files.row(level), tile, byteCount: found)
    }
  }

  private func byteCount(of path: FilePath) throws(StorageError) -> Int {
    let file: any StorageFile
    do {
      file = try journal.storage.open(path, .read)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return 0
    }
    defer { file.close() }
    return try file.size()
  }
}
