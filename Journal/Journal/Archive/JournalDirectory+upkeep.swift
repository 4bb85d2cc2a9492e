internal import JournalFormat
internal import SystemPackage

/// What is unfinished in a journal's directories after a crash, and how it goes (`FORMAT.md`, "Files").
extension JournalDirectory {
  /// Work on sealed segments is done by one at a time: retention, packing, redaction.
  var maintenanceLock: FilePath { path.appending("MAINTENANCE") }

  /// Names of files that are only worth something while they are written.
  private static let unfinished = [".archiving", ".packing", ".redacting", ".writing"]

  /// Runs `body` while nobody else works on sealed segments, with what a crash left behind cleaned up.
  ///
  /// - Throws: `locked` if somebody does, or what `body` throws.
  func maintain<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
    let lock: any StorageLock
    do throws(StorageError) {
      lock = try storage.lock(maintenanceLock)
    } catch {
      throw error.errno == .wouldBlock ? .locked(directory: path) : .storage(error)
    }
    defer { lock.release() }
    try removeLeftovers()
    return try body()
  }

  /// Removes unfinished files, and of each segment the file that is not read if it has two.
  ///
  /// To be called by whoever holds the journal's lock at its start, or the one for maintenance.
  /// - Throws: `storage`; what is wrong with a segment that has two files: then both stay.
  func removeLeftovers() throws(JournalError) {
    do throws(StorageError) {
      try remove(try storage.list(path).filter(Self.isUnfinished).map { path.appending($0) })
      try remove(try archivedNames().filter(Self.isUnfinished).map { archive.appending($0) })
      // Moves and removals that whoever made them did not live to make durable: later ones must not overtake them.
      try storage.synchronizeDirectory(path)
      if try hasArchive() { try storage.synchronizeDirectory(archive) }
    } catch {
      throw .storage(error)
    }
    try removeTwins()
  }

  /// What recovery, a repair or a rejoining has set aside, which may hold anything.
  func cutFiles() throws(StorageError) -> [FilePath] {
    let names = try storage.list(path)
    var files = names.filter { $0.hasSuffix(".cut") }.map { path.appending($0) }
    files += try archivedNames().filter { $0.hasSuffix(".cut") }.map { archive.appending($0) }
    for name in names where name.hasPrefix(Self.asidePrefix) {
      for folder in [[], ["archive"], ["snapshots"]] as [[FilePath.Component]] {
        let aside = path.appending(name).appending(folder)
        // Its own folders have no suffix.
        files += try namesIfThere(aside)?.filter { $0.contains(".") }.map { aside.appending($0) } ?? []
      }
    }
    return files
  }

  /// Removes files durably.
  func remove(_ files: [FilePath]) throws(StorageError) {
    for file in files { try storage.remove(file) }
    for directory in Set(files.map { $0.removingLastComponent() }) { try storage.synchronizeDirectory(directory) }
  }

  private static func isUnfinished(_ name: String) -> Bool { unfinished.contains { name.hasSuffix($0) } }

  /// A crash between giving a file its name and removing the one that it replaces leaves both, which say the same.
  private func removeTwins() throws(JournalError) {
    let places: [SegmentPlace]
    do throws(StorageError) {
      places = try self.places()
    } catch {
      throw .storage(error)
    }
    for (kept, twin) in zip(places, places.dropFirst()) where kept.number == twin.number {
      // Only if what stays can be read to its end.
      let first = places.first { $0.number == kept.number } ?? kept
      var image = SegmentImage()
      _ = try examine(first, &image)
      do throws(StorageError) {
        try remove([twin.path])
      } catch {
        throw .storage(error)
      }
    }
  }
}
