import JournalFormat
public import SystemPackage

/// The file that says how many journals a data directory has. It is written once, when the directory is made, before any
/// of them; a directory with one journal has no such file.
///
/// ```
///   directories of all ── PARTITIONS.next ── sync ── rename ── sync directory ──> PARTITIONS ──> journals
/// ```
public struct PartitionStore: Sendable {
  let directory: FilePath
  /// Below which the partitions have their archives; nil: each in its journal's directory.
  let archive: FilePath?
  let storage: any JournalStorage

  /// - Parameter directory: the data directory.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = directory
    self.archive = archive
    self.storage = storage
  }

  private static let fileName = "PARTITIONS"
  private var file: FilePath { directory.appending(Self.fileName) }
  private var unfinished: FilePath { directory.appending("\(Self.fileName).next") }

  /// How the journals of the directory lie; nil if none was made in it yet.
  ///
  /// - Throws: `damaged`, `newerVersion`, `lost`, `mixed`, `storage`.
  public func read() throws(PartitionError) -> PartitionLayout? {
    let names = try names(in: directory) ?? []
    let hasJournal = names.contains(PartitionLayout.journalName)
    if let layout = try readFile() {
      guard !hasJournal else { throw .mixed(directory) }
      return layout
    }
    for partition in names.compactMap({ PartitionID(directoryName: $0) }) {
      let journal = directory.appending(partition.directoryName).appending(PartitionLayout.journalName)
      // Directories come before the file, and whatever is in them after it.
      let contents = try self.names(in: journal) ?? []
      guard contents.allSatisfy({ $0 == "LOCK" }) else { throw .lost(file) }
    }
    return hasJournal ? .single : nil
  }

  /// How they lie, if there are as many as asked for and none is missing; nil if none was made yet. Changes nothing.
  ///
  /// - Throws: `PartitionError`.
  public func read(asking count: Int) throws(PartitionError) -> PartitionLayout? {
    try requireWhole()
    guard let layout = try read() else { return nil }
    guard layout.count == count else {
      throw .countDiffers(directory: directory, made: layout.count, asked: count)
    }
    try check(layout)
    return layout
  }

  /// Makes sure that the directory is not one of the partitions of another, whose journal nobody writes by itself.
  ///
  /// - Throws: `partition`, `storage`.
  public func requireWhole() throws(PartitionError) {
    guard let name = directory.lastComponent?.string, PartitionID(directoryName: name) != nil else { return }
    let whole = directory.removingLastComponent()
    let names = try names(in: whole.isEmpty ? "." : whole) ?? []
    guard !names.contains(Self.fileName) else { throw .partition(directory, of: whole) }
  }

  /// Makes sure that no partition is missing.
  ///
  /// - Throws: `missing`, `storage`; what is wrong with a journal that has to be looked at.
  public func check(_ layout: PartitionLayout) throws(PartitionError) {
    guard layout.hasSeveral else { return }
    var empty: [FilePath] = []
    var others: [JournalReader] = []
    for partition in layout.partitions {
      let journal = layout.journal(of: partition, in: directory)
      guard try names(in: journal) != nil else { throw .missing(journal) }
      let reader = JournalReader(
        directory: journal, archive: layout.archive(of: partition, below: archive), storage: storage)
      if try Self.attempt({ () throws(JournalError) in try reader.segmentCount() }) == 0 {
        empty.append(journal)
      } else {
        others.append(reader)
      }
    }
    // All journals are made before the first record is written: a crash before that has left them so.
    guard let empty = empty.first else { return }
    for other in others where try hasRecords(other) { throw .missing(empty) }
  }

  /// Writes down how the journals are to lie; whoever calls has made their directories, and holds the lock of the first
  /// one.
  ///
  /// - Returns: how they lie: as another process has decided, if that was faster.
  /// - Throws: `PartitionError`.
  public func make(_ layout: PartitionLayout) throws(PartitionError) -> PartitionLayout {
    if let made = try read(asking: layout.count) { return made }
    do throws(StorageError) {
      let side = try storage.open(unfinished, .create)
      defer { side.close() }
      try side.writeArray(layout.encoded(), at: 0)
      try side.synchronize()
      try storage.rename(unfinished, to: file)
      try storage.synchronizeDirectory(directory)
    } catch {
      throw .storage(error)
    }
    return layout
  }

  private func readFile() throws(PartitionError) -> PartitionLayout? {
    var buffer = PageBuffer()
    do throws(StorageError) {
      guard let file = try storage.openIfThere(file) else { return nil }
      defer { file.close() }
      try buffer.load(file, limit: Self.byteCountMaximum + 1)
    } catch {
      throw .storage(error)
    }
    do throws(FormatError) {
      return try PartitionLayout.decode(Array(buffer.bytes))
    } catch {
      if case .newerVersion(let version) = error { throw .newerVersion(file: file, version: version) }
      throw .damaged(file)
    }
  }

  /// More than the file has.
  private static let byteCountMaximum = 256

  /// Nil if there is no such directory.
  private func names(in directory: FilePath) throws(PartitionError) -> [String]? {
    do throws(StorageError) {
      return try storage.list(directory)
    } catch {
      guard [.noSuchFileOrDirectory, .notDirectory].contains(error.errno) else { throw .storage(error) }
      return nil
    }
  }

  private func hasRecords(_ reader: JournalReader) throws(PartitionError) -> Bool {
    var isFound = false
    do {
      try reader.forEachRecord { _ in
        isFound = true
        throw FirstRecord()
      }
    } catch is FirstRecord {
    } catch let error as JournalError {
      throw .journal(error)
    } catch {
      preconditionFailure("reading a journal throws a JournalError, not \(error)")
    }
    return isFound
  }

  /// Ends a reading.
  private struct FirstRecord: Error {}

  private static func attempt<Value>(_ body: () throws(JournalError) -> Value) throws(PartitionError) -> Value {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
  }
}
