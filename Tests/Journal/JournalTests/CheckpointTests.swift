import Synchronization
import SystemPackage
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Journal, checkpoints")
struct CheckpointTests {
  private static let key = AuditKey()

  /// Verifies the journal on `storage` as `checkpoint` and `verify` do.
  private static func head(_ storage: FaultyStorage) throws -> JournalHead? {
    var search = JournalHeadSearch()
    _ = try JournalReader(directory: TestJournal.directory, storage: storage).verify(frame: { search.add($0) })
    return search.head
  }

  private static func checkpoint(_ storage: FaultyStorage, key: AuditKey = Self.key) throws -> Checkpoint {
    try Checkpoint(try #require(try head(storage)), made: "2026-02-11T09:00:00.000Z", key: key)
  }

  private static func compare(
    _ storage: FaultyStorage, directory: FilePath = TestJournal.directory, _ checkpoint: Checkpoint
  ) throws {
    var comparison = CheckpointComparison(checkpoint)
    _ = try JournalReader(directory: directory, storage: storage).verify(frame: { comparison.add($0) })
    try comparison.finish()
  }

  /// A journal that holds the first `count` sample records, and is closed.
  private static func journal(_ count: Int, seed: UInt64 = 1, salts: UInt64 = 11) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage, segmentByteCount: SealedJournal.segmentByteCount) {
      $0.randomBytes = predictableBytes(seed: salts)
    }
    try journal.write(sampleRecords(count, seed: seed))
    try journal.writer.close()
    return storage.crashed()
  }

  // MARK: The file

  @Test("a checkpoint is read back as it was written, and its signature is right")
  func readBack() throws {
    let checkpoint = try Self.checkpoint(try Self.journal(40))
    let again = try Checkpoint(text: Array(checkpoint.text.utf8))
    #expect(again == checkpoint)
    #expect(again.point.position == 40)
    #expect(again.oldestSegment.number == 1)
    try again.checkSignature(trusted: nil)
    try again.checkSignature(trusted: Self.key.publicKey)
  }

  @Test("another key than the trusted one is named")
  func unknownKey() throws {
    let checkpoint = try Self.checkpoint(try Self.journal(5))
    #expect(throws: CheckpointError.unknownKey(Self.key.publicKey.base64)) {
      try checkpoint.checkSignature(trusted: AuditKey().publicKey)
    }
  }

  @Test("no byte of the file can be changed without being noticed")
  func everyByte() throws {
    let bytes = Array(try Self.checkpoint(try Self.journal(5)).text.utf8)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(throws: CheckpointError.self, "byte \(index)") {
        try Checkpoint(text: changed).checkSignature(trusted: Self.key.publicKey)
      }
    }
  }

  @Test("what is cut off, added, or written otherwise is no checkpoint")
  func malformed() throws {
    let text = try Self.checkpoint(try Self.journal(5)).text
    for count in 0..<text.utf8.count {
      #expect(throws: CheckpointError.self) { try Checkpoint(text: Array(text.utf8.prefix(count))) }
    }
    let others = [
      "", "hello\n", text + "\n", text.replacing("\n", with: "\r\n"), text.replacing("position ", with: "position +"),
    ]
    for other in others {
      #expect(throws: CheckpointError.self) { try Checkpoint(text: Array(other.utf8)) }
    }
    for (version, error) in [(2, CheckpointError.ofSeveral), (3, .newerCheckpoint(version: 3))] {
      let newer = text.replacing("carillon-checkpoint 1", with: "carillon-checkpoint \(version)")
      #expect(throws: error) { try Checkpoint(text: Array(newer.utf8)) }
    }
  }

  // MARK: Keys

  /// Made by `openssl genpkey -algorithm ed25519`, its public half by `openssl pkey -pubout`.
  private static let opensslKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIAgZw1z+SIU/Qti9yN8phZgIvftJC0fzaQZthYyEQRHE
    -----END PRIVATE KEY-----

    """
  private static let opensslPublicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEA2Srhtai3mjuTYfCSYQTdYwohZudPLPW9789Pg2Zepvo=
    -----END PUBLIC KEY-----

    """

  @Test("keys are those of openssl")
  func keys() throws {
    let key = try AuditKey(pem: Self.opensslKey)
    #expect(key.pem == Self.opensslKey)
    #expect(key.publicKey.pem == Self.opensslPublicKey)
    #expect(try AuditPublicKey(text: Self.opensslPublicKey) == key.publicKey)
    #expect(try AuditPublicKey(text: key.publicKey.base64 + "\n") == key.publicKey)
    let signature = try key.signature(of: Array("text".utf8))
    #expect(key.publicKey.isValid(signature, for: Array("text".utf8)))
    #expect(!key.publicKey.isValid(signature, for: Array("test".utf8)))
  }

  @Test(
    "what is no key is refused",
    arguments: ["", "MC4=", "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n"])
  func noKeys(text: String) {
    #expect(throws: AuditKeyError.notAPrivateKey) { try AuditKey(pem: text) }
    #expect(throws: AuditKeyError.notAPublicKey) { try AuditPublicKey(text: text) }
    #expect(throws: AuditKeyError.notAPrivateKey) { try AuditKey(pem: Self.opensslPublicKey) }
  }

  // MARK: The head

  @Test("an empty journal has no head")
  func empty() throws { #expect(try Self.head(try Self.journal(0)) == nil) }

  @Test("the head is what a later frame calls durable: what a crash may still take is not signed")
  func durableHead() throws {
    let storage = FaultyStorage()
    let journal = try TestJournal(storage)
    try journal.write(sampleRecords(10), unit: 5)
    // The second frame says that the first one is on the disk; nothing says so of the second.
    #expect(try Self.head(storage)?.point.position == 5)
    try journal.writer.close()
    #expect(try Self.head(storage)?.point.position == 10)
  }

  // MARK: The comparison

  @Test("a checkpoint holds for the same journal, and after appends over several segments")
  func appends() throws {
    let storage = try Self.journal(40)
    let checkpoint = try Self.checkpoint(storage)
    try Self.compare(storage, checkpoint)
    let journal = try TestJournal(storage, segmentByteCount: SealedJournal.segmentByteCount)
    try journal.write(sampleRecords(600, from: 40))
    try journal.writer.close()
    let report = try JournalReader(directory: TestJournal.directory, storage: storage).verify()
    #expect(report.segments > 3)
    try Self.compare(storage, checkpoint)
  }

  @Test("a checkpoint holds after redaction, packing and archiving, and for the archive alone")
  func changesOfForm() throws {
    let journal = try SealedJournal()
    let storage = journal.copy()
    let checkpoint = try Self.checkpoint(storage)
    let redaction = SegmentRedaction(directory: TestJournal.directory, storage: storage)
    let report = try redaction.redact(upTo: journal.report.lastPosition, matching: SealedJournal.isMarked)
    #expect(report.records > 50)
    try Self.compare(storage, checkpoint)
    _ = try SegmentPacker(directory: TestJournal.directory, storage: storage).pack()
    try Self.compare(storage, checkpoint)
    let rule = RetentionRule(.archive, ageMillisecondsMaximum: 0, neverBeyond: nil)
    _ = try SegmentRetention(directory: TestJournal.directory, storage: storage).apply(
      rule, nowMilliseconds: 1_700_000_000_000)
    try Self.compare(storage, checkpoint)
    #expect(try JournalReader(directory: TestJournal.directory, storage: storage).verify().packedSegments > 2)
    try Self.compare(storage, directory: TestJournal.directory.appending("archive"), checkpoint)
  }

  @Test("another journal is told from a changed history")
  func otherJournal() throws {
    let checkpoint = try Self.checkpoint(try Self.journal(40))
    let other = try Self.journal(40, seed: 2, salts: 12)
    #expect(throws: CheckpointError.otherJournal) { try Self.compare(other, checkpoint) }
    // The same ids: a copy that went its own way.
    let changed = try Self.journal(40, seed: 2)
    #expect(throws: CheckpointError.historyDiffers(position: 40)) { try Self.compare(changed, checkpoint) }
    let longer = try Self.journal(45, seed: 2)
    #expect(throws: CheckpointError.historyDiffers(position: 40)) { try Self.compare(longer, checkpoint) }
  }

  @Test("a journal that ends before the checkpoint has lost its newest part")
  func truncated() throws {
    let checkpoint = try Self.checkpoint(try Self.journal(40))
    #expect(throws: CheckpointError.journalIsShorter(end: 35, checkpoint: 40)) {
      try Self.compare(try Self.journal(35), checkpoint)
    }
  }

  @Test("deleted history proves nothing, and says so")
  func deleted() throws {
    let early = try Self.checkpoint(try Self.journal(40))
    let storage = try Self.journal(600)
    try Self.compare(storage, early)
    storage.state.withLock { $0.files[firstSegment] = nil }
    let oldest = try JournalReader(directory: TestJournal.directory, storage: storage).verify().firstPosition
    #expect(throws: CheckpointError.historyDeleted(oldest: oldest, checkpoint: 40)) { try Self.compare(storage, early) }
  }
}
