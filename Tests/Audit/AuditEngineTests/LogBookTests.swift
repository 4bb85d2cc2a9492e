import EngineKit
import EvidenceSamples
import JournalFormat
import Testing
import Transparency

@testable import AuditEngine

@Suite("What a log has said and who has seen it")
struct LogBookTests {
  private static let signer = LogWorld.log
  private static let pause: ClosedRange<Int64> = 1_000...8_000

  private static func settings(_ witnesses: Int = 3, quorum: String? = nil) throws -> LogSettings {
    try #require(LogSettings(LogWorld.options(witnesses: witnesses, ["journal.witness_quorum": quorum])))
  }

  private static func book(_ settings: LogSettings, _ sizes: [UInt64]) throws -> LogBook {
    var book = LogBook()
    book.configure(settings, signer.verifierKey, notes: [])
    for size in sizes { try add(size, to: &book) }
    return book
  }

  private static func checkpoint(_ size: UInt64) -> LogCheckpoint {
    LogCheckpoint(origin: signer.verifierKey.name, head: TreeHead(size: size, root: LogWorld.root(size)))
  }

  private static func add(_ size: UInt64, to book: inout LogBook) throws {
    try book.add(signer.sign(checkpoint(size)), checkpoint(size))
  }

  private static func cosign(_ size: UInt64, by index: Int, in book: inout LogBook, at time: UInt64 = 100) throws {
    var note = try #require(book.entries.first { $0.size == size }?.note)
    let witness = LogWorld.witnesses[index]
    try note.add(witness.cosignature(of: note.text, unixSeconds: time))
    book.update(note, size: size)
    book.cosigned(witness.verifierKey, size: size, unixSeconds: time)
  }

  @Test("without witnesses the newest is published at once")
  func alone() throws {
    let book = try Self.book(Self.settings(0), [10, 20])
    #expect(book.published?.size == 20 && book.newest?.size == 20)
  }

  @Test("a newer one is published once more than half have cosigned it; the first one need not wait")
  func quorum() throws {
    var book = try Self.book(Self.settings(), [10])
    #expect(book.published?.size == 10)
    for index in 0..<2 { try Self.cosign(10, by: index, in: &book) }
    try Self.add(20, to: &book)
    #expect(book.published?.size == 10 && book.newest?.size == 20)
    try Self.cosign(20, by: 2, in: &book)
    #expect(book.published?.size == 10)
    try Self.cosign(20, by: 0, in: &book)
    #expect(book.published?.size == 20 && book.published?.cosigned.count == 2)
  }

  @Test("what was shown does not shrink when an older one gets its quorum late")
  func neverBack() throws {
    var book = try Self.book(Self.settings(), [10, 20])
    #expect(book.published?.size == 20)
    for index in 0..<2 { try Self.cosign(10, by: index, in: &book) }
    #expect(book.published?.size == 20)
  }

  @Test("the operator's quorum counts, up to all of them", arguments: [("0", 20), ("1", 20), ("2", 10), ("3", 10)])
  func numbers(quorum: String, published: UInt64) throws {
    var book = try Self.book(Self.settings(quorum: quorum), [10])
    for index in 0..<3 { try Self.cosign(10, by: index, in: &book) }
    try Self.add(20, to: &book)
    try Self.cosign(20, by: 1, in: &book)
    #expect(book.published?.size == published)
  }

  @Test("a witness is asked for each new one, not twice at once, and later each time that it fails")
  func asking() throws {
    var book = try Self.book(Self.settings(1), [10])
    let key = LogWorld.witnesses[0].verifierKey
    #expect(book.takeDue(at: 0).map(\.key) == [key])
    #expect(book.takeDue(at: 0).isEmpty)
    var now: Int64 = 0
    for pause: Int64 in [1_000, 2_000, 4_000, 8_000, 8_000] {
      book.failed(key, .late, at: now, pause: Self.pause)
      #expect(book.takeDue(at: now + pause - 1).isEmpty)
      now += pause
      #expect(book.takeDue(at: now).count == 1)
    }
    #expect(book.witnesses[0].failure == .late)
    try Self.cosign(10, by: 0, in: &book)
    #expect(book.takeDue(at: now).isEmpty && book.witnesses[0].failure == nil && book.witnesses[0].knownSize == 10)
    try Self.add(20, to: &book)
    #expect(book.takeDue(at: now).map(\.knownSize) == [10])
  }

  @Test("one that has cosigned an older one meanwhile is asked for the newest")
  func overtaken() throws {
    var book = try Self.book(Self.settings(1), [10])
    #expect(book.takeDue(at: 0).count == 1)
    try Self.add(20, to: &book)
    try Self.cosign(10, by: 0, in: &book)
    #expect(book.takeDue(at: 0).count == 1)
  }

  @Test("a failure is news once")
  func news() throws {
    var book = try Self.book(Self.settings(1), [10])
    let key = LogWorld.witnesses[0].verifierKey
    var news: [Bool] = []
    for failure in [CosigningFailure.fork(size: 10), .fork(size: 10), .late] {
      news.append(book.failed(key, failure, at: 0, pause: Self.pause))
    }
    news.append(book.failed(LogWorld.witnesses[2].verifierKey, .late, at: 0, pause: Self.pause))
    #expect(news == [true, false, true, false])
  }

  @Test("what is kept says after a restart what each witness knows; others' notes are left out")
  func restart() throws {
    var former = try Self.book(Self.settings(), [10, 20])
    try Self.cosign(10, by: 1, in: &former, at: 50)
    try Self.cosign(20, by: 0, in: &former, at: 60)
    let other = NoteSigner(name: Self.signer.verifierKey.name, key: AuditKey())
    var forged = try #require(former.newest?.note)
    try forged.add(other.signature(of: forged.text))
    var notes = former.entries.map { (size: $0.size, note: $0.note) }
    notes.append((30, try other.sign(Self.checkpoint(30))))
    var book = LogBook()
    book.configure(try Self.settings(), Self.signer.verifierKey, notes: notes)
    #expect(book.entries.map(\.size) == [10, 20])
    #expect(book.witnesses.map(\.knownSize) == [20, 10, 0])
    #expect(book.witnesses.map(\.unixSeconds) == [60, 50, nil])
    // Those that have not seen the newest are asked.
    #expect(book.takeDue(at: 0).map(\.knownSize) == [10, 0])
  }

  @Test("the oldest go; those that are shown, and what each witness knows, stay")
  func excess() throws {
    var book = try Self.book(Self.settings(), [10, 20, 30, 40, 50])
    try Self.cosign(20, by: 0, in: &book)
    for index in 1..<3 { try Self.cosign(30, by: index, in: &book) }
    #expect(book.excess(beyond: 5).isEmpty)
    #expect(book.excess(beyond: 1) == [10, 40])
    book.forget([10, 40])
    #expect(book.entries.map(\.size) == [20, 30, 50])
  }
}
