public import SystemPackage

/// The one door to the disk: the real one, or one for tests that fails on purpose.
///
/// Calls block; they come from the journal's own threads, from `JournalWriter.open`, and from tools.
public protocol JournalStorage: Sendable {
  /// Creates `path` and what is missing above it, durably; no error if it exists.
  func createDirectory(_ path: FilePath) throws(StorageError)
  /// Names of the entries of `directory`, in any order.
  func list(_ directory: FilePath) throws(StorageError) -> [String]
  func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile
  /// Replaces `to` if it exists.
  func rename(_ from: FilePath, to: FilePath) throws(StorageError)
  /// No error if it does not exist.
  func remove(_ path: FilePath) throws(StorageError)
  /// Makes creations, renames and removals in `path` durable.
  func synchronizeDirectory(_ path: FilePath) throws(StorageError)
  /// Locks `path` against every other process and writer until the result is released.
  ///
  /// - Throws: with `Errno.wouldBlock` if somebody else holds the lock.
  func lock(_ path: FilePath) throws(StorageError) -> any StorageLock
  /// Bytes that may still be written to the file system of `directory`; nil if nobody knows.
  func roomLeft(in directory: FilePath) -> UInt64?
}

extension JournalStorage {
  public func roomLeft(in directory: FilePath) -> UInt64? { nil }

  /// Opens a file to be read; nil if it is not there.
  package func openIfThere(_ path: FilePath) throws(StorageError) -> (any StorageFile)? {
    do throws(StorageError) {
      return try open(path, .read)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }
}

public enum StorageOpenMode: Sendable {
  case read
  case readWrite
  /// Read and write; the file is made if it is not there, and emptied if it is.
  case create
}

/// An open file. Used by one thread at a time.
public protocol StorageFile: AnyObject, Sendable {
  func size() throws(StorageError) -> Int
  /// Reads up to `buffer.count` bytes; 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int
  /// Writes up to `bytes.count` bytes and returns how many.
  ///
  /// - Parameter durably: the bytes written (not those before) are on the disk when this returns.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, durably: Bool) throws(StorageError) -> Int
  /// `fdatasync`; after an error the file is not to be trusted any more.
  func synchronize() throws(StorageError)
  func close()
}

/// A lock that is held.
public protocol StorageLock: AnyObject, Sendable {
  func release()
}
