import Synchronization
import SystemPackage
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Journal, what is wrong with it and what to do")
struct ArchiveErrorTests {
  private static func path(_ name: String) -> FilePath { TestJournal.directory.appending(name) }

  private static func verify(_ storage: any JournalStorage) throws -> VerifyReport {
    try JournalReader(directory: TestJournal.directory, storage: storage).verify()
  }

  /// Bad journals, each with its error and a word that its message must have.
  private static let cases: [(String, @Sendable (FaultyStorage) -> Void, JournalError, String)] = [
    (
      "a segment that was half copied", { $0.update(secondSegment) { $0.removeSubrange(9000...) } },
      .halfCopied(file: path(secondSegment), byteCount: 9000), "9000 bytes: copy it again"
    ),
    (
      "a segment without a whole header", { $0.update(secondSegment) { $0.removeSubrange(100...) } },
      .halfCopied(file: path(secondSegment), byteCount: 100), "copy it again"
    ),
    (
      "a gap", { storage in storage.state.withLock { $0.files[secondSegment] = nil } },
      .missingSegment(path(secondSegment)), "put it back"
    ),
    (
      "a foreign file", { $0.update(secondSegment) { $0.replaceSubrange(0..<8, with: Array("SQLite f".utf8)) } },
      .foreignFile(path(secondSegment)), "move it out"
    ),
    (
      "a damaged header", { $0.update(secondSegment) { $0[70] ^= 1 } },
      .damaged(file: path(secondSegment), offset: 0, reason: .headerDamaged), "restore it from a copy"
    ),
    (
      "a segment under another's name",
      { storage in
        guard let bytes = storage.files[firstSegment] else { return }
        storage.update(secondSegment) { $0 = bytes }
      },
      .brokenSequence(path(secondSegment)), "two journals are mixed"
    ),
  ]

  @Test("each bad journal has its own error, for readers and writers, and stays as it is", arguments: 0..<6)
  func eachItsOwn(index: Int) throws {
    let journal = try SealedJournal(300)
    let (_, spoil, error, words) = Self.cases[index]
    spoil(journal.storage)
    let before = journal.storage.files
    #expect(throws: error) { try Self.verify(journal.storage) }
    #expect(throws: error) { try TestJournal(journal.storage, segmentByteCount: SealedJournal.segmentByteCount) }
    #expect(journal.storage.files == before)
    #expect(error.description.contains(words), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test("a reader opens for reading only, whatever lies there")
  func readsOnly() throws {
    let journal = try SealedJournal()
    try RedactTests.bring(journal.storage, into: .mixed)
    let storage = ReadOnlyStorage(storage: journal.storage)
    #expect(try Self.verify(storage).headHash == journal.report.headHash)
    journal.storage.update("000000000005.segment") { $0[5000] ^= 1 }
    #expect(throws: JournalError.self) { try Self.verify(storage) }
  }
}

/// Passes on what changes nothing, and is a failed test otherwise.
private struct ReadOnlyStorage: JournalStorage {
  let storage: FaultyStorage

  func list(_ directory: FilePath) throws(StorageError) -> [String] { try storage.list(directory) }

  func open(_ path: FilePath, _ mode: StorageOpenMode) throws(StorageError) -> any StorageFile {
    guard mode == .read else { throw refused(.open, path) }
    return try storage.open(path, mode)
  }

  func createDirectory(_ path: FilePath) throws(StorageError) { throw refused(.createDirectory, path) }
  func rename(_ from: FilePath, to: FilePath) throws(StorageError) { throw refused(.rename, from) }
  func remove(_ path: FilePath) throws(StorageError) { throw refused(.remove, path) }
  func synchronizeDirectory(_ path: FilePath) throws(StorageError) { throw refused(.synchronizeDirectory, path) }
  func lock(_ path: FilePath) throws(StorageError) -> any StorageLock { throw refused(.lock, path) }

  private func refused(_ operation: StorageError.Operation, _ path: FilePath) -> StorageError {
    Issue.record("a reader must not \(operation) \(path)")
    return StorageError(.permissionDenied, operation, path)
  }
}
