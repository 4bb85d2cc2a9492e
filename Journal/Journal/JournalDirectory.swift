internal import SystemPackage

/// The names in a journal's directory and in its archive (`FORMAT.md`, "Files").
struct JournalDirectory: Sendable {
  let path: FilePath
  /// Where old segments are moved to; perhaps on another file system, perhaps not there yet.
  let archive: FilePath
  let storage: any JournalStorage

  /// - Parameter archive: `archive` below `path` if nil.
  init(path: FilePath, archive: FilePath? = nil, storage: any JournalStorage) {
    self.path = path
    self.archive = archive ?? path.appending("archive")
    self.storage = storage
  }

  var lockFile: FilePath { path.appending("LOCK") }
  var preallocating: FilePath { path.appending("next.preallocating") }

  /// Takes the lock that a writer holds.
  ///
  /// - Throws: `locked`, `storage`.
  func claim() throws(JournalError) -> any StorageLock {
    do throws(StorageError) {
      return try storage.lock(lockFile)
    } catch {
      throw error.errno == .wouldBlock ? .locked(directory: path) : .storage(error)
    }
  }

  /// Where the writer makes segment `number`.
  func segment(_ number: UInt64) -> FilePath { path.appending(SegmentPlace.name(number, .plain)) }

  /// A name beside `file`, for bytes cut off it from `offset` on, that no earlier cut has taken.
  func unusedCut(_ file: FilePath, offset: Int) throws(StorageError) -> FilePath {
    let directory = file.removingLastComponent()
    let names = Set(try storage.list(directory))
    let stem = "\(file.lastComponent?.string ?? "segment").\(offset)"
    var name = "\(stem).cut"
    var count = 1
    while names.contains(name) {
      count += 1
      name = "\(stem)-\(count).cut"
    }
    return directory.appending(name)
  }

  /// Writes bytes that are to be cut off a segment to a file of their own, durably.
  func keepAside(_ bytes: UnsafeRawBufferPointer, in path: FilePath) throws(StorageError) {
    let side = try storage.open(path, .create)
    defer { side.close() }
    try side.writeAll(bytes, at: 0, durably: false)
    try side.synchronize()
    // Only then may they be zeroed in the segment.
    try storage.synchronizeDirectory(path.removingLastComponent())
  }

  /// Numbers of the segments that are there, in order, wherever they lie.
  func segmentNumbers() throws(StorageError) -> [UInt64] { Set(try places().map(\.number)).sorted() }

  /// Every file of every segment: by number, and of one number the one that is read first.
  func places() throws(StorageError) -> [SegmentPlace] {
    // The live one first: what is moved meanwhile is then seen in one of the two, or in both.
    var places = try storage.list(path).compactMap { SegmentPlace(name: $0, in: path, isArchived: false) }
    places += try archivedNames().compactMap { SegmentPlace(name: $0, in: archive, isArchived: true) }
    return places.sorted { ($0.number, $0.rank) < ($1.number, $1.rank) }
  }

  /// Names in the archive; none if it was never made.
  func archivedNames() throws(StorageError) -> [String] { try namesIfThere(archive) ?? [] }

  /// Whether the archive was made.
  func hasArchive() throws(StorageError) -> Bool { try namesIfThere(archive) != nil }

  /// Nil if the directory is not there.
  func namesIfThere(_ directory: FilePath) throws(StorageError) -> [String]? {
    do {
      return try storage.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }
}
