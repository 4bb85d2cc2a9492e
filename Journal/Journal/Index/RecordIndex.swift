public import JournalFormat
internal import Synchronization
public import SystemPackage

/// The index of the records of a journal: by which terms they can be found (`FORMAT.md`, "Record index"). What terms a
/// record has, its owner knows.
///
/// Nothing is lost with it: what is missing, damaged or doubtful is made anew, and whoever looks for something reads the
/// journal itself meanwhile. Nothing waits for it.
public final class RecordIndex: Sendable {
  public typealias Terms = @Sendable (borrowing RecordView, RecordIndexKey) -> [UInt64]

  let journal: JournalDirectory
  let directory: FilePath
  let state = Mutex(State())

  struct State: Sendable {
    /// Segments whose index this process has found whole.
    var finished: Set<UInt64> = []
    /// Of what a reader had doubts about.
    var doubtful: Set<UInt64> = []
  }

  /// - Parameters:
  ///   - directory: the journal's; nothing is made before `extend`.
  ///   - archive: `archive` below `directory` if nil.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    journal = JournalDirectory(path: directory, archive: archive, storage: storage)
    self.directory = journal.index
  }

  var storage: any JournalStorage { journal.storage }

  /// Has the index of a segment made anew: a reader found that something is wrong with it.
  public func distrust(_ segmentNumber: UInt64) { state.withLock { _ = $0.doubtful.insert(segmentNumber) } }

  /// Whether there is something to be made anew.
  public var hasDoubts: Bool { state.withLock { !$0.doubtful.isEmpty } }

  /// Removes all of it, durably.
  ///
  /// - Throws: `storage`.
  public func removeAll() throws(JournalError) {
    do throws(StorageError) {
      guard let names = try journal.indexNames(), !names.isEmpty else { return }
      try journal.remove(names.map { directory.appending($0) })
    } catch {
      throw .storage(error)
    }
    state.withLock { $0 = State() }
  }

  /// The key in its file; nil if there is none that can be read.
  func storedKey() throws(StorageError) -> RecordIndexKey? {
    do {
      let file = try storage.open(journal.indexKey, .read)
      defer { file.close() }
      var buffer = PageBuffer()
      try buffer.load(file, limit: 2 * RecordIndexKey.fileByteCount)
      return RecordIndexKey.decode(buffer.bytes)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }
}

// MARK: Names

extension JournalDirectory {
  var index: FilePath { path.appending("index") }
  var indexKey: FilePath { index.appending("KEY") }
  static let indexSuffix = ".index"

  func indexFile(_ number: UInt64) -> FilePath {
    index.appending(SegmentPlace.digits(number) + Self.indexSuffix)
  }

  /// Of which segment a file of the index is; nil for other files.
  static func segmentNumber(ofIndex name: String) -> UInt64? {
    guard name.hasSuffix(indexSuffix) else { return nil }
    let digits = name.dropLast(indexSuffix.count)
    guard let number = UInt64(digits), SegmentPlace.digits(number) == digits else { return nil }
    return number
  }

  /// Names in the index's directory; nil if there is none.
  func indexNames() throws(StorageError) -> [String]? { try namesIfThere(index) }

  /// Removes what the index has of a segment, durably: it must not outlive the records.
  func removeIndex(of number: UInt64, _ step: SegmentStep.Handler) throws(JournalError) {
    let file = indexFile(number)
    do throws(StorageError) {
      guard let names = try indexNames(), names.contains(where: { $0 == file.lastComponent?.string }) else { return }
    } catch {
      throw .storage(error)
    }
    try step(SegmentStep(.remove, file, segmentNumber: number))
    do throws(StorageError) {
      try remove([file])
    } catch {
      throw .storage(error)
    }
  }
}
