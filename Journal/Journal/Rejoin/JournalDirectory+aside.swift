internal import SystemPackage

/// What is kept for the operator, in a directory below the journal's own, and read by no start.
extension JournalDirectory {
  static let asidePrefix = "aside-"

  /// A directory for it that no earlier one has taken.
  ///
  /// - Parameter label: part of its name.
  func unusedAside(_ label: String) throws(StorageError) -> FilePath {
    var name = Self.asidePrefix + label
    var count = 1
    while try namesIfThere(path.appending(name)) != nil {
      count += 1
      name = "\(Self.asidePrefix)\(label)-\(count)"
    }
    return path.appending(name)
  }

  /// Gives a file of the journal's own directory the same place below another one.
  func setAside(_ file: FilePath, in aside: FilePath) throws(StorageError) {
    let side = file.moved(from: path, to: aside)
    try storage.createDirectory(side.removingLastComponent())
    try storage.rename(file, to: side)
    // It is there before it is gone: a loss of power leaves it in one of the two.
    try storage.synchronizeDirectory(side.removingLastComponent())
    try storage.synchronizeDirectory(file.removingLastComponent())
  }

  /// Sets aside the snapshots, and the edges of the tree, that begin behind a position.
  func setSnapshotsAside(behind position: UInt64, label: String) throws(StorageError) {
    let files = try snapshots(behind: position, hasParted: false)
    guard !files.isEmpty else { return }
    let aside = try unusedAside(label)
    for file in files { try setAside(file, in: aside) }
  }

  /// Snapshots, and edges of the tree, that may know more than what stays. A snapshot's states are those of moments behind
  /// its point: of those that begin before the end, the newest may tell of what is set aside, and the ones before it do not.
  ///
  /// - Parameter hasParted: records behind the position are set aside.
  func snapshots(behind position: UInt64, hasParted: Bool) throws(StorageError) -> [FilePath] {
    let folder = path.appending("snapshots")
    let names = try namesIfThere(folder) ?? []
    let files = names.compactMap { SnapshotFile(name: $0, in: folder) }
    let newest = files.map(\.position).filter { $0 <= position }.max()
    let due = files.filter { $0.position > position || (hasParted && $0.position == newest) }
    let edges = names.filter { (TreeEdges.position(ofName: $0) ?? 0) > position }
    return due.map(\.path) + edges.map { folder.appending($0) }
  }
}

extension FilePath {
  /// The place below `to` that this path has below `from`.
  fileprivate func moved(from: FilePath, to: FilePath) -> FilePath {
    var below = self
    precondition(below.removePrefix(from), "only what lies in the journal's directory is moved")
    return to.appending(below.components)
  }
}
