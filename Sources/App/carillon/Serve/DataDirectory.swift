import Journal
import SystemPackage

/// Where the journal and the tokens are.
struct DataDirectory {
  let path: FilePath

  /// The journal's own directory below it.
  var journal: FilePath { path.appending("journal") }

  /// Makes the directory if it is not there, and makes sure that nobody else is writing to it.
  /// - Throws: `ServeFailure` with `.dataDirectory` or `.dataDirectoryInUse`.
  ///
  /// Asked before anything listens: a second server on the same directory is to hear about the directory, not about
  /// its port. The journal takes the lock for good when it opens.
  func claim() throws(ServeFailure) {
    let storage = DiskStorage()
    do throws(StorageError) {
      try storage.createDirectory(journal)
      try storage.lock(journal.appending("LOCK")).release()
    } catch {
      guard error.operation == .lock, error.errno == .wouldBlock else {
        throw ServeFailure(.dataDirectory, "the data directory cannot be used: \(error)")
      }
      throw ServeFailure(
        .dataDirectoryInUse, "the data directory \(path) is in use by another carillon: stop that one first")
    }
  }
}
