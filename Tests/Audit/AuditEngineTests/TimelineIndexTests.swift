import ChatDomain
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import SystemPackage
import TestSupport
import Testing

@testable import AuditEngine
@testable import Engine
@testable import EngineKit

@Suite("Timeline by an index of records", .timeLimit(.minutes(5)))
struct TimelineIndexTests {
  /// An index of all records up to `position`, in many parts.
  private static func index(
    _ records: AuditRecords, upTo position: UInt64 = .max - 1, pairsMaximum: Int = 200
  ) throws -> RecordIndex {
    let index = RecordIndex(directory: records.directory)
    while try index.extend(
      upTo: position, recordsMinimum: 1, pairsMaximum: pairsMaximum, terms: SubjectTerm.hashes(in: .carillon)
    ).hasMore {}
    return index
  }

  private static func head(_ records: AuditRecords) throws -> UInt64 {
    var head: UInt64 = 0
    try JournalReader(directory: records.directory).forEachRecord { head = $0.position }
    return head
  }

  /// All pages, one after the other.
  private static func story(
    _ records: AuditRecords, _ question: TimelineQuestion, _ index: RecordIndex?, head: UInt64, limit: Int = .max,
    milliseconds: Int64 = 60_000
  ) throws -> [TimelineEntry] {
    let reader = JournalReader(directory: records.directory)
    var search = TimelineSearch(question, TimelineFilter(hasDetails: true), in: .carillon)
    var entries: [TimelineEntry] = []
    var after: UInt64? = 0
    var pages = 0
    while let from = after {
      let page = try search.page(
        after: from, limit: limit, head: head, reader, milliseconds: milliseconds, index: index)
      entries += page.entries
      after = page.next
      pages += 1
      try #require(pages < 10_000)
    }
    return entries
  }

  private static func questions(_ journal: RandomJournal) throws -> [TimelineQuestion] {
    var entities: Set<EntityID> = []
    try JournalReader(directory: journal.records.directory).forEachRecord {
      entities.insert(EntityID(EntityKind(rawValue: $0.kind), $0.keyText))
    }
    return journal.subjects.map { .subject($0) } + entities.map { .entity($0) }
  }

  @Test(
    "it tells exactly what is told without: all records being in it or a part, in segments packed or not",
    arguments: 1...8)
  func same(seed: UInt64) throws {
    let journal = try RandomJournal(seed: seed)
    let head = try Self.head(journal.records)
    let covered = [head, head, head / 2, 7][Int(seed % 4)]
    let packer = SegmentPacker(directory: journal.records.directory)
    if seed % 3 == 1 { #expect(try !packer.pack().segments.isEmpty) }
    let index = try Self.index(journal.records, upTo: covered)
    #expect(try index.look()?.coveredTo == covered)
    #expect(try JournalReader(directory: journal.records.directory).segmentCount() > 1)
    // Of half a segment it knows nothing any more, once that is packed.
    if seed % 3 == 2 { #expect(try !packer.pack().segments.isEmpty) }
    var told = 0
    for question in try Self.questions(journal) {
      let expected = try Self.story(journal.records, question, nil, head: head)
      #expect(try Self.story(journal.records, question, index, head: head) == expected, "\(question), seed \(seed)")
      told += expected.count
    }
    #expect(told > 200)
    #expect(!index.hasDoubts || (seed % 3 == 2 && covered < head))
  }

  @Test("page by page and without time it is the same story", arguments: [31, 32, 33] as [UInt64])
  func pages(seed: UInt64) throws {
    let journal = try RandomJournal(seed: seed, count: 100)
    let head = try Self.head(journal.records)
    let index = try Self.index(journal.records, upTo: head - 20)
    for question in try Self.questions(journal).prefix(24) {
      let expected = try Self.story(journal.records, question, nil, head: head)
      #expect(try Self.story(journal.records, question, index, head: head, limit: 3) == expected)
      #expect(try Self.story(journal.records, question, index, head: head, milliseconds: 0) == expected)
    }
  }

  @Test("it reads the records that are asked for, and no others")
  func reads() throws {
    let records = try AuditRecords()
    for chat in 0..<40 {
      records.chat("1-\(chat)", AuditRecords.start("s\(chat)", user: "u\(chat)", nickname: "Guest \(chat)"))
    }
    for line in 0..<200 {
      records.chat("1-\(line % 40)", .linePosted(party: 0, type: .messageText, text: "line \(line)"))
    }
    try records.run()
    let view = try #require(try Self.index(records).look())
    var scope = SubjectScope(subject: "u7", in: .carillon)
    var asked: Set<SubjectTerm> = []
    var found: Set<UInt64> = []
    while !scope.terms.subtracting(asked).isEmpty {
      asked.formUnion(scope.terms)
      found.formUnion(try view.positions(of: asked.map { $0.hashed(with: view.key) }))
      try view.read(at: found.sorted()[...]) { record in
        scope.collect(record)
        return true
      }
      scope.followLinks()
    }
    let expected: [UInt64] = [8, 48, 88, 128, 168, 208]
    #expect(found.sorted() == expected)
  }

  @Test("a damaged index is passed over, and the story is whole", arguments: 41...44)
  func damage(seed: UInt64) throws {
    let journal = try RandomJournal(seed: seed, count: 120)
    let head = try Self.head(journal.records)
    let path = journal.records.directory.appending("index").appending("000000000001.index").string
    _ = try Self.index(journal.records)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<12 {
      var broken = whole
      if Bool.random(using: &generator) {
        broken[Int.random(in: 0..<whole.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      } else {
        broken = broken.prefix(Int.random(in: 0..<whole.count, using: &generator))
      }
      try broken.write(to: URL(fileURLWithPath: path))
      let index = RecordIndex(directory: journal.records.directory)
      let question = TimelineQuestion.subject(journal.subjects[Int.random(in: 0..<10, using: &generator)])
      let expected = try Self.story(journal.records, question, nil, head: head)
      #expect(try Self.story(journal.records, question, index, head: head) == expected, "\(question), seed \(seed)")
    }
  }

  @Test("it goes away while somebody reads by it: the next page goes on as if there had been none")
  func removed() throws {
    let journal = try RandomJournal(seed: 61)
    let head = try Self.head(journal.records)
    let index = try Self.index(journal.records)
    let reader = JournalReader(directory: journal.records.directory)
    for subject in journal.subjects.prefix(8) {
      let expected = try Self.story(journal.records, .subject(subject), nil, head: head)
      guard expected.count > 4 else { continue }
      _ = try Self.index(journal.records)
      var search = TimelineSearch(.subject(subject), TimelineFilter(hasDetails: true), in: .carillon)
      let first = try search.page(after: 0, limit: 2, head: head, reader, milliseconds: 60_000, index: index)
      try index.removeAll()
      let rest = try search.page(
        after: try #require(first.next), limit: .max, head: head, reader, milliseconds: 60_000, index: index)
      #expect(first.entries + rest.entries == expected)
    }
  }

  @Test("what comes after the index was made is told, and what is told again from the beginning is the same")
  func grows() throws {
    let journal = try RandomJournal(seed: 71, count: 100)
    let records = journal.records
    let index = try Self.index(records)
    let head = try Self.head(records)
    let reader = JournalReader(directory: records.directory)
    var search = TimelineSearch(.subject("u1"), TimelineFilter(hasDetails: true), in: .carillon)
    let before = try search.page(after: 0, limit: .max, head: head, reader, milliseconds: 60_000, index: index)
    #expect(before.next == nil && !before.entries.isEmpty)
    records.chat("new-chat", AuditRecords.start("s9", user: "u1", nickname: "User 1"))
    try records.run()
    let rest = try search.page(after: head, limit: .max, head: head + 1, reader, milliseconds: 60_000, index: index)
    #expect(rest.entries.compactMap(\.entity) == [EntityID(.chatSession, "new-chat")])
    let again = try search.page(after: 0, limit: .max, head: head + 1, reader, milliseconds: 60_000, index: index)
    #expect(again.entries.filter { $0.position <= head } == before.entries)
    #expect(again.entries.last == rest.entries.last)
  }

  // MARK: What records are found by

  @Test("the links of a journal are the same in whatever order its records are collected, and however often")
  func order() throws {
    for seed in 81...84 as ClosedRange<UInt64> {
      let journal = try RandomJournal(seed: seed)
      let records = try Self.index(journal.records)
      let view = try #require(try records.look())
      var generator = SeededGenerator(seed: seed)
      for subject in journal.subjects.shuffled(using: &generator).prefix(12) {
        let (inOrder, _) = try journal.records.positions(of: subject)
        var scope = SubjectScope(subject: subject, in: .carillon)
        for position in (Array(1...view.coveredTo) + Array(1...20)).shuffled(using: &generator) {
          try view.read(at: [position]) { record in
            scope.collect(record)
            return true
          }
        }
        scope.close()
        let (strange, missed) = (
          scope.entities.subtracting(inOrder.entities), inOrder.entities.subtracting(scope.entities)
        )
        #expect(
          strange.isEmpty && missed.isEmpty && scope.userKeys == inOrder.userKeys,
          "\(subject), seed \(seed): too much \(strange), too little \(missed)")
      }
    }
  }

  @Test("a record is found by every name that its kind asks for, and by no payload")
  func names() throws {
    let records = try AuditRecords()
    records.chat(
      "1-a",
      AuditRecords.start(
        "session-a", user: "mia", nickname: "Mia", subject: "Order", device: "device-77",
        data: [NameValuePair("mail", "Mia@Example.org")]))
    try records.run()
    var terms: Set<SubjectTerm> = []
    try JournalReader(directory: records.directory).forEachRecord { terms = SubjectTerm.all(of: $0, in: .carillon) }
    #expect(
      terms == [
        .name("mia"), .name("session-a"), .name("device-77"), .name("Mia@Example.org"), .name("1-a"), .owner("mia"),
        .entity(EntityID(.chatSession, "1-a")),
      ])
  }
}
