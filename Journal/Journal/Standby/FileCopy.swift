public import SystemPackage

/// A file that is being copied: under a name of its own until all of it has come and is on the disk.
///
/// ```
///   <path>.writing: made ── filled ── synced ──> renamed to <path> ── directory synced
/// ```
/// What a kill leaves of it is worth nothing. Safe to share: its owner makes one call at a time. Calls block.
public final class FileCopy: @unchecked Sendable {
  /// Where it comes to stand.
  public let path: FilePath
  public let byteCount: Int
  /// Where it is until then.
  public var unfinished: FilePath { FilePath(path.string + Self.suffix) }

  /// What its name has behind that until then.
  public static let suffix = ".writing"
  private let storage: any JournalStorage
  private let file: any StorageFile
  private var offset = 0

  /// - Parameters:
  ///   - byteCount: as many bytes as will come.
  ///   - prepare: handed the file's name before anything is in it: to make it the owner's alone.
  public init(
    _ path: FilePath, byteCount: Int, storage: any JournalStorage = DiskStorage(),
    prepare: (FilePath) throws(StorageError) -> Void = { _ in }
  ) throws(StorageError) {
    self.path = path
    self.byteCount = byteCount
    self.storage = storage
    try storage.createDirectory(path.removingLastComponent())
    let unfinished = FilePath(path.string + Self.suffix)
    file = try storage.open(unfinished, .create)
    try prepare(unfinished)
  }

  /// Bytes that are still to come.
  public var missingByteCount: Int { byteCount - offset }

  /// Takes the next bytes; no more than are missing.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    precondition(bytes.count <= missingByteCount, "no more comes than was announced")
    try file.writeAll(bytes, at: offset, durably: false)
    offset += bytes.count
  }

  /// All has come: has it on the disk, under its name for the time being.
  public func synchronize() throws(StorageError) {
    precondition(missingByteCount == 0, "only whole files are installed")
    try file.synchronize()
    file.close()
  }

  /// Gives the file its place, in that of another if there is one, durably.
  public func install() throws(StorageError) {
    try storage.rename(unfinished, to: path)
    try storage.synchronizeDirectory(path.removingLastComponent())
  }

  /// Removes what has come.
  public func discard() throws(StorageError) {
    file.close()
    try storage.remove(unfinished)
  }
}
