internal import JournalFormat
internal import SystemPackage

/// Writes one snapshot: states first, each followed by its entry in the index, under a temporary name until all of it
/// was read back.
///
/// After an error the file is removed, and every further call throws the same error. Belongs to one thread at a time.
public final class SnapshotWriter {
  private let name: SnapshotFile
  private let directory: FilePath
  private let storage: any JournalStorage
  private let header: SnapshotHeader
  private let seed: UInt32
  private let file: any StorageFile
  private var encoder: SnapshotBlockEncoder
  /// States that are not yet in a block.
  private var states: [UInt8] = []
  private var index = SnapshotIndexBlock()
  private var indexOffsets: [UInt64] = []
  /// Where the next block goes, which is where the block of `states` will stand.
  private var offset = 0
  private var synchronizedOffset = 0
  private var checksum: UInt32 = 0
  private var entryCount: UInt64 = 0
  private var finishedCount: UInt64 = 0
  private var stateByteCount: UInt64 = 0
  private var indexByteCount: UInt64 = 0
  private var failure: StorageError?
  private var isDone = false

  init(
    _ name: SnapshotFile, in directory: FilePath, storage: any JournalStorage, header: SnapshotHeader
  ) throws(StorageError) {
    self.name = name
    self.directory = directory
    self.storage = storage
    self.header = header
    let (page, seed) = header.encoded()
    self.seed = seed
    encoder = SnapshotBlockEncoder(seed: seed)
    file = try storage.open(name.writing, .create)
    try guarded { () throws(StorageError) in try write(page) }
  }

  deinit { abandon() }

  /// Bytes written so far.
  public var byteCount: Int { offset }

  /// Adds an entity that lives or sleeps.
  ///
  /// - Parameters:
  ///   - key: at most 1024 bytes of UTF-8.
  ///   - sequence: of the last event that `state` covers.
  ///   - brief: what the directory needs while the entity sleeps; at most `SnapshotLimits.briefByteCountMaximum` bytes.
  ///   - state: at most `SnapshotLimits.stateByteCountMaximum` bytes.
  /// - Throws: with `Errno.fileTooLarge` if something is larger than that, else what the disk reported. The snapshot is
  ///   lost then.
  public func add(
    kind: UInt8, key: String, sequence: UInt64, brief: [UInt8], state: [UInt8]
  ) throws(StorageError) {
    try guarded { () throws(StorageError) in
      guard key.utf8.count <= FormatLimits.keyByteCountMaximum, brief.count <= SnapshotLimits.briefByteCountMaximum,
        state.count <= SnapshotLimits.stateByteCountMaximum
      else { throw StorageError(.fileTooLarge, .write, name.writing) }
      if states.count + state.count > SnapshotLimits.blockByteCount { try flushStates() }
      index.add(
        kind: kind, sequence: sequence, key: key, brief: brief, blockOffset: offset, start: states.count,
        stateByteCount: state.count)
      states += state
      entryCount += 1
      stateByteCount += UInt64(state.count)
      if states.count >= SnapshotLimits.blockByteCount { try flushStates() }
      if index.byteCount >= SnapshotLimits.blockByteCount { try flushIndex() }
    }
  }

  /// Adds an entity that has ended since the snapshot was begun: older records of the journal do not revive it.
  ///
  /// - Throws: as `add`.
  public func addFinished(kind: UInt8, key: String, sequence: UInt64) throws(StorageError) {
    try guarded { () throws(StorageError) in
      guard key.utf8.count <= FormatLimits.keyByteCountMaximum else {
        throw StorageError(.fileTooLarge, .write, name.writing)
      }
      index.addFinished(kind: kind, sequence: sequence, key: key)
      entryCount += 1
      finishedCount += 1
      if index.byteCount >= SnapshotLimits.blockByteCount { try flushIndex() }
    }
  }

  /// Writes what is left, reads all of it back, and gives it its name. The owner synced the journal before, as far as
  /// the states that were added reach.
  ///
  /// - Throws: `storage`, or what is wrong with the file that was read back; nothing of it is left then.
  public func finish() throws(SnapshotError) -> SnapshotInfo {
    precondition(!isDone || failure != nil, "a snapshot is finished once")
    do throws(StorageError) {
      try guarded { () throws(StorageError) in
        try flushIndex()
        try writeEnd()
        try file.synchronize()
      }
    } catch {
      throw .storage(error)
    }
    do throws(SnapshotError) {
      let snapshot = try Snapshot(name.writing, storage: storage)
      try snapshot.verifyContents()
      snapshot.close()
    } catch {
      abandon()
      throw error
    }
    do throws(StorageError) {
      try guarded { () throws(StorageError) in
        try storage.rename(name.writing, to: name.path)
        isDone = true
        file.close()
        try storage.synchronizeDirectory(directory)
      }
    } catch {
      throw .storage(error)
    }
    return SnapshotInfo(file: name.path, header: header, footer: footer)
  }

  /// Gives up: removes what was written. Does nothing after `finish`.
  public func abandon() {
    guard !isDone else { return }
    isDone = true
    file.close()
    try? storage.remove(name.writing)
  }

  /// After an error nothing is tried any more.
  private func guarded(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    if let failure { throw failure }
    precondition(!isDone, "a snapshot that was finished or abandoned takes nothing more")
    do throws(StorageError) {
      try body()
    } catch {
      failure = error
      abandon()
      throw error
    }
  }

  private func flushStates() throws(StorageError) {
    guard !states.isEmpty else { return }
    states.withUnsafeBytes { encoder.encode($0, kind: .states) }
    states.removeAll(keepingCapacity: states.capacity <= 2 * SnapshotLimits.blockByteCount)
    try writeBlock()
  }

  /// The states of the entries come before the entries.
  private func flushIndex() throws(StorageError) {
    try flushStates()
    guard index.byteCount > 0 else { return }
    indexOffsets.append(UInt64(offset))
    indexByteCount += UInt64(index.byteCount)
    encoder.encode(index.bytes, kind: .index)
    index.removeAll()
    try writeBlock()
  }

  private var footer: SnapshotFooter {
    SnapshotFooter(
      offset: offset, tableOffset: tableOffset, entryCount: entryCount, finishedCount: finishedCount,
      stateByteCount: stateByteCount, indexByteCount: indexByteCount, checksum: checksum)
  }

  private var tableOffset = 0

  private func writeEnd() throws(StorageError) {
    tableOffset = offset
    let table = indexOffsets.map(\.littleEndian)
    table.withUnsafeBytes { encoder.encode($0, kind: .table) }
    try writeBlock()
    try file.writeArray(footer.encoded(seed: seed), at: offset)
  }

  private func writeBlock() throws(StorageError) {
    try put(encoder.encodedBytes)
    guard offset - synchronizedOffset >= Limits.snapshotSyncByteCount else { return }
    synchronizedOffset = offset
    // Piece by piece, so that no commit of the journal has to wait for all of it.
    try file.synchronize()
  }

  private func write(_ bytes: [UInt8]) throws(StorageError) {
    let result = bytes.withUnsafeBytes { bytes in Result { () throws(StorageError) in try put(bytes) } }
    try result.get()
  }

  private func put(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try file.writeAll(bytes, at: offset, durably: false)
    checksum = bytes.checksum(seed: checksum)
    offset += bytes.count
  }
}
