internal import JournalFormat
public import SystemPackage

/// Says on the disk that an erasure was begun and must be carried out to its end, also after a crash.
public struct RedactionIntent: Sendable {
  private let directory: FilePath
  private let storage: any JournalStorage

  /// - Parameter directory: the journal's.
  public init(directory: FilePath, storage: any JournalStorage = DiskStorage()) {
    self.directory = directory
    self.storage = storage
  }

  private var file: FilePath { directory.appending("redaction.intent") }

  /// Writes the intent, in place of an earlier one; it is on the disk when this returns.
  ///
  /// - Parameter content: at most 1 MiB; the caller knows what it means.
  /// - Throws: `storage`, `storageFull`, `tooLarge`: then an earlier one is still there.
  public func write(_ content: [UInt8]) throws(JournalError) {
    guard content.count <= RedactionIntentFile.contentByteCountMaximum else {
      throw .tooLarge(limit: RedactionIntentFile.contentByteCountMaximum)
    }
    let unfinished = directory.appending("redaction.intent.writing")
    do throws(StorageError) {
      let side = try storage.open(unfinished, .create)
      defer { side.close() }
      try side.writeArray(RedactionIntentFile.encode(content), at: 0)
      try side.synchronize()
      try storage.rename(unfinished, to: file)
      try storage.synchronizeDirectory(directory)
    } catch {
      throw JournalError(error)
    }
  }

  /// What was written; nil if there is no intent.
  ///
  /// - Throws: `redactionIntentDamaged`, `storage`.
  public func read() throws(JournalError) -> [UInt8]? {
    var buffer = PageBuffer()
    do throws(StorageError) {
      let file = try storage.open(file, .read)
      defer { file.close() }
      try buffer.load(file, limit: 2 * RedactionIntentFile.contentByteCountMaximum)
    } catch {
      if error.errno == .noSuchFileOrDirectory { return nil }
      throw .storage(error)
    }
    guard let content = RedactionIntentFile.decode(Array(buffer.bytes)) else { throw .redactionIntentDamaged(file) }
    return content
  }

  /// Removes the intent, durably; no error if there is none.
  ///
  /// - Throws: `storage`.
  public func remove() throws(JournalError) {
    do throws(StorageError) {
      try storage.remove(file)
      try storage.synchronizeDirectory(directory)
    } catch {
      throw .storage(error)
    }
  }
}
