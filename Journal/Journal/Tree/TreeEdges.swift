public import JournalFormat
internal import SystemPackage
internal import Transparency

/// Edges of the tree, kept beside the snapshots: where the journal's beginning was deleted, a tree that is lost goes on
/// from there (`FORMAT.md`, "Tree").
struct TreeEdges {
  let journal: JournalDirectory

  static let suffix = ".edge"
  private static let writingSuffix = ".edge.writing"
  private var directory: FilePath { journal.path.appending("snapshots") }

  private func file(_ position: UInt64) -> FilePath { directory.appending(Self.name(position)) }

  static func name(_ position: UInt64) -> String {
    let digits = String(position)
    return String(repeating: "0", count: SnapshotFile.digitCount - digits.count) + digits + suffix
  }

  /// The position in a name; nil if it is not one of an edge.
  static func position(ofName name: String) -> UInt64? {
    guard name.hasSuffix(suffix), let position = UInt64(name.dropLast(suffix.count)), self.name(position) == name else {
      return nil
    }
    return position
  }

  func holds(_ position: UInt64) throws(StorageError) -> Bool {
    try journal.namesIfThere(directory)?.contains(Self.name(position)) ?? false
  }

  /// Those that are whole, in any order.
  func all() throws(TreeError) -> [TreeState] {
    let names: [String]
    do {
      names = try journal.namesIfThere(directory) ?? []
    } catch {
      throw TreeError(error)
    }
    var states: [TreeState] = []
    for name in names {
      guard let position = Self.position(ofName: name) else { continue }
      do {
        let state = try TreeFiles(journal: journal).state(directory.appending(name))
        if let state, state.point.position == position { states.append(state) }
      } catch .stateDamaged, .newerVersion {
        // Another one may do.
      }
    }
    return states
  }

  /// Writes one durably. The directory is there: a snapshot lies in it.
  func store(_ state: TreeState) throws(StorageError) {
    let path = file(state.point.position)
    let unfinished = directory.appending(
      String(Self.name(state.point.position).dropLast(Self.suffix.count)) + Self.writingSuffix)
    try TreeFiles(journal: journal).write(state, to: path, by: unfinished, in: directory)
  }
}

extension JournalTree {
  /// Keeps the edge of the tree at the point of a snapshot beside that, so that the tree can go on from there if it is
  /// lost and the records before the point were deleted. Does nothing if it is kept already.
  ///
  /// - Throws: `beyondEnd` if the tree has not come so far; as all proofs.
  public func keepEdge(at point: JournalPoint) throws(TreeError) {
    guard point.position > 0 else { return }
    let edges = TreeEdges(journal: journal)
    do throws(StorageError) {
      if try edges.holds(point.position) { return }
    } catch {
      throw TreeError(error)
    }
    let edge = try edge(at: point.position)
    do throws(StorageError) {
      try edges.store(TreeState(point: point, root: edge.root, edge: edge.hashes))
    } catch {
      throw TreeError(error)
    }
  }
}
