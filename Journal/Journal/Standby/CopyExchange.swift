public import SystemPackage

/// Puts a new copy of a journal, made in the directory `copy` below the journal's, in the place of the one that is there,
/// which is set aside.
///
/// ```
///               begin              all that is old is in aside-…         all that is new is in its place
///   copying ───────────> copy/WHOLE ──────────────────────────> copy/MOVING ───────────────────────────> done
/// ```
/// A kill in between is made good by `finish`, which starts with the step that the name says. Until it has ended the
/// directory is no journal: whoever wants to write to it calls `finish` first. Calls block; their owner holds the
/// journal's lock.
public struct CopyExchange: Sendable {
  private let directory: JournalDirectory
  /// Where a new copy is made.
  public let copy: FilePath

  private var storage: any JournalStorage { directory.storage }
  private var whole: FilePath { copy.appending("WHOLE") }
  private var moving: FilePath { copy.appending("MOVING") }
  /// Below a journal's directory, and below a copy's.
  private static let folders = ["", "archive", "snapshots"]

  /// - Parameter directory: the journal's own.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, storage: storage)
    copy = directory.appending("copy")
  }

  /// Whether a new copy is whole and on its way to its place.
  public func hasBegun() throws(StorageError) -> Bool {
    let names = try directory.namesIfThere(copy) ?? []
    return names.contains("WHOLE") || names.contains("MOVING")
  }

  /// Says that the new copy is whole. From here on it is the journal.
  ///
  /// - Parameter time: milliseconds since 1970: names the folder in which the old one is set aside.
  public func begin(at time: Int64) throws(StorageError) {
    let file = try storage.open(whole, .create)
    defer { file.close() }
    try file.writeArray(Array("aside-\(time)".utf8), at: 0)
    try file.synchronize()
    try storage.synchronizeDirectory(copy)
  }

  /// Carries out what was begun; does nothing if nothing was.
  ///
  /// - Returns: where the old copy is now; nil if there was none, or nothing to do.
  public func finish() throws(StorageError) -> FilePath? {
    guard try hasBegun() else { return nil }
    var aside: FilePath?
    if let name = try asideName() {
      aside = try setAside(directory.path.appending(name))
      try storage.rename(whole, to: moving)
      try storage.synchronizeDirectory(copy)
    }
    for folder in Self.folders {
      // Ascending: whoever looks at the directory meanwhile sees a journal that grows.
      for name in try files(copy, folder).sorted() where !name.isMarker {
        try move(name, from: copy, to: directory.path, folder)
      }
    }
    try storage.remove(moving)
    try storage.synchronizeDirectory(copy)
    return aside
  }

  /// Removes what was copied so far: it is not a part of what is copied now.
  public func discard() throws(StorageError) {
    guard try !hasBegun() else { return }
    for folder in Self.folders {
      for name in try files(copy, folder).sorted().reversed() { try storage.remove(Self.path(copy, folder, name)) }
    }
  }

  /// - Returns: where it is; nil if there was nothing.
  private func setAside(_ aside: FilePath) throws(StorageError) -> FilePath? {
    var hasMoved = false
    for folder in Self.folders.reversed() {
      for name in try files(directory.path, folder).sorted().reversed() where name.isPartOfJournal {
        try move(name, from: directory.path, to: aside, folder)
        hasMoved = true
      }
    }
    return hasMoved ? aside : nil
  }

  private func asideName() throws(StorageError) -> String? {
    guard let file = try storage.openIfThere(whole) else { return nil }
    defer { file.close() }
    var buffer = PageBuffer()
    try buffer.load(file, limit: 64)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  private func files(_ directory: FilePath, _ folder: String) throws(StorageError) -> [String] {
    let place = folder.isEmpty ? directory : directory.appending(folder)
    return (try self.directory.namesIfThere(place) ?? []).filter { folder.isEmpty ? !Self.folders.contains($0) : true }
  }

  private func move(
    _ name: String, from: FilePath, to: FilePath, _ folder: String
  ) throws(StorageError) {
    let (old, new) = (Self.path(from, folder, name), Self.path(to, folder, name))
    try storage.createDirectory(new.removingLastComponent())
    try storage.rename(old, to: new)
    // It is there before it is gone: a loss of power leaves it in one of the two.
    try storage.synchronizeDirectory(new.removingLastComponent())
    try storage.synchronizeDirectory(old.removingLastComponent())
  }

  private static func path(_ directory: FilePath, _ folder: String, _ name: String) -> FilePath {
    folder.isEmpty ? directory.appending(name) : directory.appending(folder).appending(name)
  }
}

extension String {
  fileprivate var isMarker: Bool { self == "WHOLE" || self == "MOVING" }

  /// What belongs to a journal's history; locks, the epoch and what is rebuilt stay where they are.
  fileprivate var isPartOfJournal: Bool {
    self == "redaction.intent"
      || [".segment", ".packed", ".cut", ".snapshot", ".edge"].contains { hasSuffix($0) }
  }
}
