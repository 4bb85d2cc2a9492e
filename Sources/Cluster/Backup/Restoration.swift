internal import Crypto
public import Journal
internal import JournalFormat
internal import StandbyWire
public import SystemPackage

/// Makes a data directory of a backup.
///
/// ```
///   EPOCH says backup ──> files ──> hashes, chain and snapshots checked ──> the end is cut ──> EPOCH says primary
/// ```
/// Whatever happens before the last step, no server starts on the directory. Its calls block.
public struct Restoration {
  private let data: FilePath
  private let journal: FilePath
  private let storage: any JournalStorage

  /// Begins to restore into a directory that is empty or not there.
  ///
  /// - Throws: `notEmpty`; `StorageError`, `JournalError`.
  public init(into data: FilePath, storage: any JournalStorage = DiskStorage()) throws {
    (self.data, journal, self.storage) = (data, data.appending("journal"), storage)
    guard try Self.names(in: data, storage).isEmpty else { throw BackupError.notEmpty(data) }
    try storage.createDirectory(journal)
    try write(JournalEpoch(role: .backup, own: 1, told: 1))
  }

  /// - Throws: `cut`; what is wrong with the journal or a snapshot; `StorageError`.
  public func restore(_ backup: KeptBackup) throws {
    for file in backup.manifest.files {
      let copy = try FileCopy(path(of: file.place), byteCount: file.byteCount, storage: storage)
      try backup.read(file) { try copy.append($0) }
      try copy.synchronize()
      try copy.install()
    }
    try check(backup.manifest)
  }

  /// Restores what `BackupStream` has written.
  ///
  /// - Parameter read: up to as many bytes as it is asked for; none at the end.
  /// - Returns: the manifest, which came last.
  /// - Throws: as `restore`; `foreign` if something else is in it; what `read` throws.
  public func restore(stream read: @escaping (_ count: Int) throws -> [UInt8]) throws -> BackupManifest {
    var stream = StreamReader(read)
    var restored: [StandbyPath: (byteCount: Int, hash: Hash256)] = [:]
    while let header = try stream.header() {
      if header.name == BackupManifest.fileName {
        guard header.byteCount <= BackupLimits.manifestByteCountMaximum else {
          throw BackupError.cut("its manifest is too long")
        }
        var bytes: [UInt8] = []
        try stream.content(of: header) { bytes += $0 }
        let manifest = try BackupManifest(parsing: bytes)
        try settle(manifest, restored)
        return manifest
      }
      guard let place = StandbyPath(header.name) else {
        guard DataFile(header.name) == .epoch else { throw BackupError.foreign("\(header.name) in the stream") }
        try stream.content(of: header) { _ in }
        continue
      }
      let copy = try FileCopy(path(of: place), byteCount: header.byteCount, storage: storage)
      var hash = SHA256()
      try stream.content(of: header) { piece in
        hash.update(data: piece)
        try piece.withUnsafeBytes { try copy.append($0) }
      }
      try copy.synchronize()
      try copy.install()
      restored[place] = (header.byteCount, Hash256(hash.finalize()))
    }
    throw BackupError.cut("it ends without its manifest")
  }

  /// What has come is what the manifest says, and what it does not name goes.
  private func settle(_ manifest: BackupManifest, _ restored: [StandbyPath: (byteCount: Int, hash: Hash256)]) throws {
    for file in manifest.files {
      guard let found = restored[file.place] else { throw BackupError.cut("\(file.place.text) is missing") }
      guard found == (file.byteCount, file.hash) else { throw BackupError.cut("\(file.place.text) was changed") }
    }
    for place in Set(restored.keys).subtracting(manifest.files.map(\.place)) {
      try storage.remove(path(of: place))
      try storage.synchronizeDirectory(path(of: place).removingLastComponent())
    }
    try check(manifest)
  }

  private func check(_ manifest: BackupManifest) throws {
    _ = try manifest.checkJournal(in: journal, storage)
    // From here on the directory knows which epochs there were.
    try write(JournalEpoch(role: .backup, own: manifest.ownEpoch, told: manifest.toldEpoch))
  }

  /// How far a journal is restored.
  public enum Bound: Sendable, Equatable {
    /// The last record that may stay.
    case position(UInt64)
    /// When the last record may have been decided that stays, in milliseconds since 1970.
    case time(Int64)

    /// - Throws: `beyondEnd` if a backup knows nothing of what came before this.
    public func judge(_ manifest: BackupManifest) throws(BackupError) {
      let isKnown =
        switch self {
        case .position(let position): position <= manifest.end.position
        case .time(let milliseconds): milliseconds <= manifest.madeAt
        }
      guard isKnown else { throw .beyondEnd(position: manifest.end.position) }
    }

    func holds(_ position: UInt64, _ timeMilliseconds: Int64) -> Bool {
      switch self {
      case .position(let bound): position <= bound
      case .time(let bound): timeMilliseconds <= bound
      }
    }
  }

  /// Ends the journal behind the last frame before the first record that is beyond `bound`.
  ///
  /// - Throws: `beforeBeginning`; as `JournalCut`.
  public func cut(at bound: Bound) throws -> JournalCut.Place {
    let cut = JournalCut(directory: journal, storage: storage)
    guard let place = try cut.find(stays: bound.holds), try cut.isStartable(at: place) else {
      throw BackupError.beforeBeginning
    }
    try cut.carryOut(place)
    try removeCheckpoints(above: place.position)
    return place
  }

  /// They vouch for records that are gone.
  private func removeCheckpoints(above size: UInt64) throws {
    let folder = data.appending(CheckpointStore.directoryName)
    let names = try Self.names(in: folder, storage)
    guard !names.isEmpty else { return }
    for name in names {
      guard case .checkpoint(let records) = StandbyPath("\(CheckpointStore.directoryName)/\(name)"), records > size
      else { continue }
      try storage.remove(folder.appending(name))
    }
    try storage.synchronizeDirectory(folder)
  }

  /// All is there: a server may start.
  ///
  /// - Returns: the epoch that begins; whatever server the backup was made of is relieved once it is told.
  /// - Throws: `JournalError`.
  public func finish() throws -> UInt32 {
    try EpochStore(directory: journal, storage: storage).finishRestore().own
  }

  /// None if the directory was never made.
  private static func names(in directory: FilePath, _ storage: any JournalStorage) throws(StorageError) -> [String] {
    do throws(StorageError) {
      return try storage.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
  }

  private func path(of place: StandbyPath) -> FilePath {
    // The paths are a closed list, none of which leaves the directory.
    data.pushing(FilePath(place.text))
  }

  private func write(_ epoch: JournalEpoch) throws {
    try EpochStore(directory: journal, storage: storage).write(epoch)
  }
}

/// The files of a stream, one after the other.
private struct StreamReader {
  private let read: (_ count: Int) throws -> [UInt8]

  init(_ read: @escaping (_ count: Int) throws -> [UInt8]) { self.read = read }

  /// The next file; nil where the stream ends, or where it says that it does.
  mutating func header() throws -> TarHeader? {
    let block = try bytes(TarHeader.byteCount)
    if block.isEmpty || block.allSatisfy({ $0 == 0 }) { return nil }
    guard block.count == TarHeader.byteCount else { throw BackupError.cut("it ends in the middle of a file") }
    guard let header = TarHeader(block) else { throw BackupError.cut("a file in it begins with no header") }
    return header
  }

  mutating func content(of header: TarHeader, _ body: ([UInt8]) throws -> Void) throws {
    var rest = header.byteCount
    while rest > 0 {
      let piece = try bytes(min(rest, BackupLimits.pieceByteCount))
      guard piece.count == min(rest, BackupLimits.pieceByteCount) else {
        throw BackupError.cut("it ends in the middle of \(header.name)")
      }
      try body(piece)
      rest -= piece.count
    }
    _ = try bytes(header.paddingByteCount)
  }

  /// As many as that, or as there are.
  private func bytes(_ count: Int) throws -> [UInt8] {
    var found: [UInt8] = []
    while found.count < count {
      let piece = try read(count - found.count)
      if piece.isEmpty { break }
      found += piece
    }
    return found
  }
}
