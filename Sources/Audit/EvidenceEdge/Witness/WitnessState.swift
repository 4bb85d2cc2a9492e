package import Journal
package import SystemPackage
package import Transparency

/// What a witness has said, on the disk: a file for each log, and one that says that this is a witness's directory.
///
/// Calls block.
package struct WitnessState: Sendable {
  private let files: EvidenceFiles
  /// Held for as long as the process lives: two witnesses of one name could be led apart.
  private let lock: any StorageLock

  private static let markName = "WITNESS"
  private static let mark = Array("carillon-witness-state 1\n".utf8)
  private static let recordSuffix = ".witnessed"

  /// - Parameter isMade: whether a directory that was never a witness's becomes one. Without it a witness whose directory
  ///   is missing would begin anew, and could be led into a fork of what it has said.
  package init(
    _ directory: FilePath, isMade: Bool, storage: any JournalStorage = DiskStorage()
  ) throws(KeepingFailure) {
    let files = EvidenceFiles(directory, storage: storage)
    self.files = files
    lock = try KeepingFailure.attempt(in: directory) {
      if isMade { try files.makeDirectory() }
      let mark = try files.read(Self.markName, byteCountMaximum: Self.mark.count)
      guard mark == nil || mark == Self.mark else {
        throw KeepingFailure.foreign(directory.appending(Self.markName))
      }
      guard mark != nil || isMade else { throw KeepingFailure.absent(directory) }
      let lock = try files.lock()
      if mark == nil { try files.replace(Self.markName, Self.mark) }
      return lock
    }
  }

  /// All that was said.
  package func records() throws(KeepingFailure) -> [WitnessRecord] {
    try KeepingFailure.attempt(in: files.directory) {
      try files.names(endingIn: Self.recordSuffix).map { name in
        let path = files.directory.appending(name)
        guard let bytes = try files.read(name, byteCountMaximum: WitnessRecord.byteCountMaximum) else {
          throw StorageError(.noSuchFileOrDirectory, .open, path)
        }
        let record: WitnessRecord
        do throws(WitnessRecordFlaw) { record = try WitnessRecord(bytes) } catch {
          throw KeepingFailure.damaged(path, "\(error)")
        }
        guard record.fileName == name else { throw KeepingFailure.foreign(path) }
        return record
      }
    }
  }

  /// Durable when this returns. After an error nothing more may be said.
  package func keep(_ record: WitnessRecord) throws(StorageError) { try files.replace(record.fileName, record.bytes) }

  package func keepFork(_ note: SignedNote, of origin: KeyName) throws(StorageError) {
    try files.keepFork(note, of: origin)
  }

  /// Where a record is, for whoever has to look at it.
  package func path(of record: WitnessRecord) -> FilePath { files.directory.appending(record.fileName) }
}
