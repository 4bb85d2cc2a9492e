internal import Crypto
public import Journal
internal import JournalFormat
internal import StandbyWire
public import SystemPackage

/// A backup that lies in a directory, to be read. Its calls block.
public struct KeptBackup: Sendable {
  let path: FilePath
  public let manifest: BackupManifest

  /// - Throws: `cut` if there is none, or one that was not finished; `newerFormat`; `StorageError`.
  public init(_ path: FilePath) throws {
    self.path = path
    guard let manifest = try BackupFolder.manifest(in: path, DiskStorage()) else {
      throw BackupError.cut("\(path) has no manifest")
    }
    self.manifest = manifest
  }

  /// Checks all: each file's size and hash, every checksum, leaf and link of the journal, the snapshots, and that the journal
  /// ends where the manifest says.
  ///
  /// - Throws: `cut`; `JournalError`, `SnapshotError`, `StorageError`.
  @discardableResult
  public func verify() throws -> VerifyReport {
    for file in manifest.files { try read(file) { _ in } }
    return try manifest.checkJournal(in: BackupStorage.journal, BackupStorage(path, manifest))
  }

  /// Hands on the content of a file, and then says whether it was the right one.
  ///
  /// - Throws: `cut`; `StorageError`; what `body` throws.
  func read(_ file: BackupManifest.File, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let object = try DiskStorage().openIfThere(BackupFolder.object(file.hash, in: path)) else {
      throw BackupError.cut("\(file.place.text) is missing")
    }
    defer { object.close() }
    guard try object.size() == file.byteCount else { throw BackupError.cut("\(file.place.text) was changed") }
    var (hash, offset) = (SHA256(), 0)
    var piece = [UInt8](repeating: 0, count: min(BackupLimits.pieceByteCount, file.byteCount))
    while offset < file.byteCount {
      let count = try piece.withUnsafeMutableBytes { try object.readAll(into: $0, at: offset) }
      guard count > 0 else { throw BackupError.cut("\(file.place.text) was changed") }
      try piece.withUnsafeBytes { bytes in
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        hash.update(bufferPointer: part)
        try body(part)
      }
      offset += count
    }
    guard Hash256(hash.finalize()) == file.hash else { throw BackupError.cut("\(file.place.text) was changed") }
  }

  /// Records that are erased in a journal and not in this backup of it.
  ///
  /// - Parameter journal: of which this is a backup.
  /// - Throws: `otherInstance`; what is wrong with one of the two.
  public func recordsErased(in journal: JournalReader) throws -> UInt64 {
    let isOne: Bool
    do throws(JournalError) {
      isOne = try journal.holds(manifest.end)
    } catch {
      guard case .missingSegment = error else { throw error }
      isOne = false
    }
    guard isOne else { throw BackupError.otherInstance(path) }
    var erased: Set<UInt64> = []
    try journal.forEachRecord { if $0.isRedacted, $0.position <= manifest.end.position { erased.insert($0.position) } }
    var count: UInt64 = 0
    guard !erased.isEmpty else { return count }
    try JournalReader(directory: BackupStorage.journal, storage: BackupStorage(path, manifest)).forEachRecord {
      if !$0.isRedacted, erased.contains($0.position) { count += 1 }
    }
    return count
  }
}

extension BackupManifest {
  /// Checks a journal that came out of the backup.
  ///
  /// - Throws: `cut`; what is wrong with the journal or a snapshot.
  func checkJournal(in directory: FilePath, _ storage: any JournalStorage) throws -> VerifyReport {
    var audit = try SnapshotAudit(directory: directory, storage: storage)
    let report = try JournalReader(directory: directory, storage: storage).verify(frame: { audit.add($0) })
    try audit.finish()
    guard report.lastPosition == end.position, report.headHash == end.chainHash else {
      throw BackupError.cut("its journal does not end where its manifest says")
    }
    return report
  }
}
