import Journal
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the journal and the tokens are.
struct DataDirectory {
  let path: FilePath

  /// The journal's own directory below it.
  var journal: FilePath { path.appending("journal") }

  private var lockFile: FilePath { journal.appending("LOCK") }

  /// Makes sure that nobody else is writing to the directory, and makes nothing: it need not be there.
  /// - Throws: `ServeFailure` with `.dataDirectory` or `.dataDirectoryInUse`.
  func requireFree() throws(ServeFailure) {
    guard access(lockFile.string, F_OK) == 0 else { return }
    try attempt { () throws(StorageError) in try DiskStorage().lock(lockFile).release() }
  }

  /// Makes the directory if it is not there. The journal takes the lock for good when it opens.
  /// - Throws: `ServeFailure` with `.dataDirectory` or `.dataDirectoryInUse`.
  func claim() throws(ServeFailure) {
    try attempt { () throws(StorageError) in
      try DiskStorage().createDirectory(journal)
      try DiskStorage().lock(lockFile).release()
    }
  }

  private func attempt(_ body: () throws(StorageError) -> Void) throws(ServeFailure) {
    do throws(StorageError) {
      try body()
    } catch {
      guard error.operation == .lock, error.errno == .wouldBlock else {
        throw ServeFailure(.dataDirectory, "the data directory cannot be used: \(error)")
      }
      throw ServeFailure(
        .dataDirectoryInUse, "the data directory \(path) is in use by another carillon: stop that one first")
    }
  }
}
