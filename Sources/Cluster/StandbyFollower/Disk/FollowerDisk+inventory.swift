internal import Journal
internal import StandbyWire
internal import Synchronization
internal import SystemPackage

extension FollowerDisk {
  /// A file that is here, and that the primary had not when it was asked.
  struct GoneFile: Sendable, Equatable {
    let place: StandbyPath
    /// The one that came last; nil if nobody knows, as of what a former primary has left.
    let version: String?
  }

  /// What the directory holds and a manifest has not, segments aside. By the disk, not by what was written down of it: what
  /// was erased at the primary is to be nowhere here.
  func gone(from manifest: StandbyManifest) async throws(JournalError) -> [GoneFile] {
    try await run(on: keeping) { [self] () throws(JournalError) in
      let there = Set(manifest.files.map(\.place))
      let found = try Self.attempt { () throws(StorageError) in try places() }
      return state.withLock { state in
        state.files.forget(notIn: found)
        return found.filter { !there.contains($0) && !$0.isOfSegment }.sorted { $0.text < $1.text }
          .map { GoneFile(place: $0, version: state.files.versions[$0.text]) }
      }
    }
  }

  /// Removes what is worth nothing to a standby: copies that a kill left half made, and states that were asleep when a
  /// former primary was killed.
  func clear() throws(StorageError) {
    for (folder, directory) in try folders() {
      let names = try names(in: directory).filter {
        guard $0.hasSuffix(FileCopy.suffix) else { return false }
        // The data directory itself may hold what is nobody's business here.
        return !folder.isEmpty || StandbyPath(String($0.dropLast(FileCopy.suffix.count))) != nil
      }
      try remove(names, from: directory)
    }
    let asleep = data.appending("asleep")
    try remove(try names(in: asleep).filter { $0.hasSuffix(".spill") }, from: asleep)
    let found = try places()
    state.withLock { $0.files.forget(notIn: found) }
  }

  private func remove(_ names: [String], from directory: FilePath) throws(StorageError) {
    guard !names.isEmpty else { return }
    for name in names { try storage.remove(directory.appending(name)) }
    try storage.synchronizeDirectory(directory)
  }

  /// All that is here of what a standby copies.
  private func places() throws(StorageError) -> Set<StandbyPath> {
    var found: Set<StandbyPath> = []
    for (folder, directory) in try folders() {
      found.formUnion(try names(in: directory).compactMap { StandbyPath(folder + $0) })
    }
    return found
  }

  /// Where such files lie, and what stands before their names.
  private func folders() throws(StorageError) -> [(folder: String, directory: FilePath)] {
    let blobs = data.appending("blobs")
    var folders = [("", data)]
    for folder in ["journal/", "journal/archive/", "journal/snapshots/", "checkpoints/", "provider-tokens/"] {
      folders.append((folder, data.pushing(FilePath(folder))))
    }
    for group in try names(in: blobs) where group.utf8.count == 2 {
      folders.append(("blobs/\(group)/", blobs.appending(group)))
    }
    return folders
  }

  /// None if the directory was never made.
  private func names(in directory: FilePath) throws(StorageError) -> [String] {
    do throws(StorageError) {
      return try storage.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else { throw error }
      return []
    }
  }
}
