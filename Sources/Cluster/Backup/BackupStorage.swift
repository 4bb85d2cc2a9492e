internal import Journal
internal import StandbyWire
internal import SystemPackage

/// The files of a backup in a directory under the paths that they had, for whoever reads a journal. Nothing can be changed.
struct BackupStorage: JournalStorage {
  private let folder: FilePath
  private let files: [String: BackupManifest.File]
  private let names: [String: Set<String>]

  /// Where the journal lies in it.
  static let journal: FilePath = "journal"

  init(_ folder: FilePath, _ manifest: BackupManifest) {
    self.folder = folder
    var (files, names): ([String: BackupManifest.File], [String: Set<String>]) = ([:], [:])
    for file in manifest.files {
      files[file.place.text] = file
      var path = FilePath(file.place.text)
      while let name = path.lastComponent?.string {
        path = path.removingLastComponent()
        names[path.string, default: []].insert(name)
      }
    }
    (self.files, self.names) = (files, names)
  }

  func list(_ directory: FilePath) throws(StorageError) -> [String] {
    guard let names = names[directory.string] else {
      throw StorageError(.noSuchFileOrDirectory, .list, directory)
    }
    return Array(names)
  }

  func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    guard mode == .read else { throw StorageError(.readOnlyFileSystem, .open, path) }
    guard let file = files[path.string] else { throw StorageError(.noSuchFileOrDirectory, .open, path) }
    return try DiskStorage().open(BackupFolder.object(file.hash, in: folder), .read)
  }

  func createDirectory(_ path: FilePath) throws(StorageError) {
    throw StorageError(.readOnlyFileSystem, .createDirectory, path)
  }

  func rename(_ from: FilePath, to: FilePath) throws(StorageError) {
    throw StorageError(.readOnlyFileSystem, .rename, from)
  }

  func remove(_ path: FilePath) throws(StorageError) { throw StorageError(.readOnlyFileSystem, .remove, path) }

  func synchronizeDirectory(_ path: FilePath) throws(StorageError) {
    throw StorageError(.readOnlyFileSystem, .synchronizeDirectory, path)
  }

  func lock(_ path: FilePath) throws(StorageError) -> any StorageLock {
    throw StorageError(.readOnlyFileSystem, .lock, path)
  }
}
