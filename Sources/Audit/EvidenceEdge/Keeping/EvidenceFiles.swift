package import Journal
package import SystemPackage
package import Transparency

/// A directory of small files, each of which is there whole or not at all, and durable when a call returns.
///
/// Calls block. One thread at a time; the lock keeps other processes away.
package struct EvidenceFiles: Sendable {
  package let directory: FilePath
  private let storage: any JournalStorage

  /// Behind a name while its file is being written; what a kill has left is written over.
  private static let unfinished = ".new"
  private static let lockName = "LOCK"

  package init(_ directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = directory
    self.storage = storage
  }

  package func makeDirectory() throws(StorageError) { try storage.createDirectory(directory) }

  /// - Throws: with `Errno.wouldBlock` if another process has the directory.
  package func lock() throws(StorageError) -> any StorageLock {
    try storage.lock(directory.appending(Self.lockName))
  }

  /// The names with that ending, in their order.
  package func names(endingIn suffix: String) throws(StorageError) -> [String] {
    try storage.list(directory).filter { $0.hasSuffix(suffix) }.sorted()
  }

  /// - Returns: nil if there is no such file.
  /// - Throws: with `Errno.fileTooLarge` if it has more bytes than that.
  package func read(_ name: String, byteCountMaximum: Int) throws(StorageError) -> [UInt8]? {
    try Self.read(directory.appending(name), byteCountMaximum: byteCountMaximum, storage: storage)
  }

  /// The same of a file anywhere. Its size is asked before any of it is read.
  package static func read(
    _ path: FilePath, byteCountMaximum: Int, storage: any JournalStorage = DiskStorage()
  ) throws(StorageError) -> [UInt8]? {
    guard let file = try storage.openIfThere(path) else { return nil }
    defer { file.close() }
    let size = try file.size()
    guard size <= byteCountMaximum else { throw StorageError(.fileTooLarge, .read, path) }
    var bytes = [UInt8](repeating: 0, count: size)
    let read: Result<Int, StorageError> = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(StorageError) in try file.readAll(into: buffer, at: 0) }
    }
    // It was cut while it was being read.
    guard try read.get() == size else { throw StorageError(.ioError, .read, path) }
    return bytes
  }

  /// Puts a file in the place of the one of that name, if there is one.
  ///
  /// ```
  /// name.new: made, written, synced ──▶ renamed to name ──▶ directory synced
  /// ```
  /// A kill or a loss of power in between leaves the former file, or the new one.
  package func replace(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
    let path = directory.appending(name)
    let fresh = directory.appending(name + Self.unfinished)
    try write(bytes, to: fresh)
    try storage.rename(fresh, to: path)
    try storage.synchronizeDirectory(directory)
  }

  private func write(_ bytes: [UInt8], to path: FilePath) throws(StorageError) {
    let file = try storage.open(path, .create)
    defer { file.close() }
    let written: Result<Void, StorageError> = bytes.withUnsafeBytes { buffer in
      Result { () throws(StorageError) in try file.writeAll(buffer, at: 0, durably: false) }
    }
    try written.get()
    try file.synchronize()
  }

  /// Keeps a checkpoint that contradicts what is remembered of its log, for people: the first one, which none replaces.
  package func keepFork(_ note: SignedNote, of origin: KeyName) throws(StorageError) {
    let name = "\(origin.fileStem).fork"
    guard try read(name, byteCountMaximum: EvidenceLimits.noteByteCountMaximum) == nil else { return }
    try replace(name, note.bytes)
  }
}
