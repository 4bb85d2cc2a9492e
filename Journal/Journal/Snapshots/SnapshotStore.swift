public import JournalFormat
public import SystemPackage

/// The snapshots of a journal: files named after their positions, in the directory `snapshots` below the journal's.
///
/// Calls block; the owner makes one that changes something after the other.
public struct SnapshotStore: Sendable {
  /// Snapshots that are kept unless asked otherwise: one, and one to fall back to.
  public static let keptCount = 2

  public let directory: FilePath
  private let storage: any JournalStorage
  private let keeping: Int

  /// - Parameters:
  ///   - directory: the journal's; nothing is made before the first snapshot.
  ///   - keeping: how many `prune` leaves.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage(), keeping: Int = keptCount) {
    precondition(keeping > 0, "at least the newest snapshot is kept")
    self.directory = directory.appending("snapshots")
    self.storage = storage
    self.keeping = keeping
  }

  /// Begins a snapshot; it gets its name when it is finished.
  ///
  /// - Parameters:
  ///   - point: a durable one; all that is added later covers it.
  ///   - createdMilliseconds: since 1970.
  /// - Throws: `storage`.
  public func begin(at point: JournalPoint, createdMilliseconds: Int64) throws(SnapshotError) -> SnapshotWriter {
    do throws(StorageError) {
      try storage.createDirectory(directory)
      try storage.synchronizeDirectory(directory.removingLastComponent())
      return try SnapshotWriter(
        SnapshotFile(position: point.position, in: directory), in: directory, storage: storage,
        header: SnapshotHeader(point: point, createdMilliseconds: createdMilliseconds))
    } catch {
      throw .storage(error)
    }
  }

  /// All that are there, newest first; none is opened.
  ///
  /// - Throws: `storage`.
  public func all() throws(SnapshotError) -> [SnapshotFile] {
    try names().compactMap { SnapshotFile(name: $0, in: directory) }.sorted { $0.position > $1.position }
  }

  /// Opens a snapshot, after all of it was read and its checksum compared.
  ///
  /// - Throws: `SnapshotError`.
  public func open(_ file: SnapshotFile) throws(SnapshotError) -> Snapshot {
    let snapshot = try Snapshot(file.path, storage: storage)
    guard snapshot.info.point.position == file.position else {
      throw .renamed(file: file.path, position: snapshot.info.point.position)
    }
    return snapshot
  }

  /// Removes all but the newest snapshots and edges of the tree, and what was begun and not finished. No snapshot may be
  /// being written.
  ///
  /// A snapshot that is open stays readable.
  /// - Throws: `storage`.
  public func prune() throws(SnapshotError) {
    let kept = try all().prefix(keeping).map(\.position)
    // Snapshots may all have been removed to make an erasure complete: edges tell nothing, and so many of them stay.
    let edges = try names().compactMap { TreeEdges.position(ofName: $0) }.sorted(by: >).dropFirst(keeping)
    let due = edges.filter { !kept.contains($0) }.map { directory.appending(TreeEdges.name($0)) }
    try remove(Array(try all().dropFirst(keeping)), and: due)
  }

  /// Removes all snapshots but one, and what was begun and not finished; see `prune`.
  ///
  /// - Throws: `storage`.
  public func removeAll(except kept: SnapshotFile?) throws(SnapshotError) {
    try remove(try all().filter { $0 != kept })
  }

  /// The name that a finished snapshot at a position has.
  public func file(at position: UInt64) -> SnapshotFile { SnapshotFile(position: position, in: directory) }

  private func remove(_ files: [SnapshotFile], and others: [FilePath] = []) throws(SnapshotError) {
    let leftovers = try names().filter { $0.hasSuffix(SnapshotFile.writingSuffix) }.map { directory.appending($0) }
    let paths = files.map(\.path) + others + leftovers
    guard !paths.isEmpty else { return }
    do throws(StorageError) {
      for path in paths { try storage.remove(path) }
      try storage.synchronizeDirectory(directory)
    } catch {
      throw .storage(error)
    }
  }

  private func names() throws(SnapshotError) -> [String] {
    do throws(StorageError) {
      return try storage.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw .storage(error) }
      return []
    }
  }
}
