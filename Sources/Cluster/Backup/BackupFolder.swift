internal import Crypto
public import Journal
internal import JournalFormat
public import SystemPackage

/// A backup in a directory: each content once, under its SHA-256, and a manifest that says which file has which.
///
/// ```
///   objects/incoming ── written ── synced ──> objects/3b/3b7e…     what is there already stays as it is
///   all objects there ── MANIFEST.writing ── synced ──> MANIFEST   then what no file has any more goes
/// ```
/// So the backup before is whole until the next one is, and a kill leaves one of the two.
public final class BackupFolder: BackupTarget {
  let path: FilePath
  public private(set) var former: BackupManifest?
  private let storage: any JournalStorage
  private let lock: any StorageLock
  /// Directories with new names in them.
  private var changed: Set<FilePath> = []

  private static let names: Set = ["LOCK", "objects", BackupManifest.fileName, unfinishedManifest]
  private static let unfinishedManifest = BackupManifest.fileName + FileCopy.suffix

  /// Opens a directory to put a backup there, and makes it if it is not there.
  ///
  /// - Throws: `foreign` if it holds anything else; `inUse`; `cut` if the manifest that is there is damaged; `newerFormat`;
  ///   `StorageError`.
  public init(_ path: FilePath, storage: any JournalStorage = DiskStorage()) throws {
    try storage.createDirectory(path)
    if let other = try storage.list(path).sorted().first(where: { !Self.names.contains($0) }) {
      throw BackupError.foreign("\(path.appending(other))")
    }
    do throws(StorageError) {
      lock = try storage.lock(path.appending("LOCK"))
    } catch {
      throw error.errno == .wouldBlock ? BackupError.inUse(path) : error
    }
    (self.path, self.storage) = (path, storage)
    do {
      former = try Self.manifest(in: path, storage)
    } catch {
      lock.release()
      throw error
    }
  }

  deinit { lock.release() }

  /// - Returns: nil if there is none.
  static func manifest(in path: FilePath, _ storage: any JournalStorage) throws -> BackupManifest? {
    guard let file = try storage.openIfThere(path.appending(BackupManifest.fileName)) else { return nil }
    defer { file.close() }
    let size = try file.size()
    guard size <= BackupLimits.manifestByteCountMaximum else { throw BackupError.cut("its manifest is too long") }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = try bytes.withUnsafeMutableBytes { try file.readAll(into: $0, at: 0) }
    return try BackupManifest(parsing: Array(bytes.prefix(count)))
  }

  static func object(_ hash: Hash256, in path: FilePath) -> FilePath {
    let digits = "\(hash)"
    return path.appending("objects").appending(String(digits.prefix(2))).appending(digits)
  }

  func has(_ file: BackupManifest.File) throws -> Bool {
    guard let object = try storage.openIfThere(Self.object(file.hash, in: path)) else { return false }
    defer { object.close() }
    return try object.size() == file.byteCount
  }

  func put(_ source: BackupSource, at _: String) throws -> Hash256 {
    let objects = path.appending("objects")
    try storage.createDirectory(objects)
    let incoming = objects.appending("incoming")
    let file = try storage.open(incoming, .create)
    defer { file.close() }
    var (hash, offset) = (SHA256(), 0)
    try source.forEachPiece { piece in
      hash.update(data: piece)
      try piece.withUnsafeBytes { try file.writeAll($0, at: offset, durably: false) }
      offset += piece.count
    }
    try source.forEachPieceOfZeros { hash.update(data: $0) }
    if source.zeroByteCount > 0 {
      // Where nothing was written there are zeros.
      try [UInt8(0)].withUnsafeBytes { try file.writeAll($0, at: source.totalByteCount - 1, durably: false) }
    }
    let digest = Hash256(hash.finalize())
    let object = Self.object(digest, in: path)
    // Nobody looks below a name whose content is not on the disk.
    try file.synchronize()
    try storage.createDirectory(object.removingLastComponent())
    try storage.rename(incoming, to: object)
    changed.insert(object.removingLastComponent())
    return digest
  }

  func finish(_ manifest: BackupManifest) throws {
    for directory in changed { try storage.synchronizeDirectory(directory) }
    changed = []
    let bytes = Array(manifest.text.utf8)
    let file = try storage.open(path.appending(Self.unfinishedManifest), .create)
    defer { file.close() }
    try bytes.withUnsafeBytes { try file.writeAll($0, at: 0, durably: false) }
    try file.synchronize()
    try storage.rename(path.appending(Self.unfinishedManifest), to: path.appending(BackupManifest.fileName))
    try storage.synchronizeDirectory(path)
    former = manifest
    try removeUnnamed(but: Set(manifest.files.map { "\($0.hash)" }))
  }

  /// What was erased is to be in no backup that was made later: what no file has any more goes at once.
  private func removeUnnamed(but named: Set<String>) throws {
    let objects = path.appending("objects")
    try storage.remove(objects.appending("incoming"))
    for group in try storage.list(objects) where group.utf8.count == 2 {
      let directory = objects.appending(group)
      let due = try storage.list(directory).filter { !named.contains($0) }
      for name in due { try storage.remove(directory.appending(name)) }
      if !due.isEmpty { try storage.synchronizeDirectory(directory) }
    }
  }
}
