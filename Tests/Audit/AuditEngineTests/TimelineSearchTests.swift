import ChatDomain
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat
import PushDomain
import Testing

@testable import AuditEngine
@testable import Engine

@Suite("Timeline, page by page")
struct TimelineSearchTests {
  /// Chats of three customers who take turns, one of them pushed to, in two lives of a server.
  private static func journal() throws -> AuditRecords {
    let records = try AuditRecords()
    for user in 0..<3 { records.chat("\(user)-chat", AuditRecords.created()) }
    for user in 0..<3 {
      records.chat("\(user)-chat", AuditRecords.start("s\(user)", user: "u\(user)", nickname: "User \(user)"))
    }
    for line in 0..<40 {
      records.after(100)
      records.chat("\(line % 3)-chat", .linePosted(party: 0, type: .messageText, text: "line \(line)"))
    }
    records.push("queue", .enqueued(AuditRecords.message(of: "1-chat", 1, device: "device")))
    try records.run()
    records.after(60_000)
    records.push("queue", .settled(PushID(producer: "1-chat", number: 1), .delivered, attempts: 1))
    for user in 0..<3 { records.chat("\(user)-chat", .chatEnded(party: 0, cause: .party)) }
    try records.run()
    return records
  }

  /// All pages, one after the other.
  private static func pages(
    _ records: AuditRecords, _ question: TimelineQuestion, limit: Int, milliseconds: Int64 = 60_000
  ) throws -> [[TimelineEntry]] {
    let reader = JournalReader(directory: records.directory)
    var head: UInt64 = 0
    try reader.forEachRecord { head = $0.position }
    var search = TimelineSearch(question, TimelineFilter(hasDetails: true), in: .carillon)
    var pages: [[TimelineEntry]] = []
    var after: UInt64? = 0
    while let from = after {
      let page = try search.page(after: from, limit: limit, head: head, reader, milliseconds: milliseconds)
      #expect(page.head == head)
      pages.append(page.entries)
      after = page.next
      try #require(pages.count < 1_000)
    }
    return pages
  }

  @Test(
    "all pages together are the whole story, however short they are",
    arguments: [TimelineQuestion.subject("u1"), .entity(EntityID(.chatSession, "1-chat")), .message("1-chat/1")])
  func whole(question: TimelineQuestion) throws {
    let records = try Self.journal()
    let whole = try Self.pages(records, question, limit: .max)
    #expect(whole.count == 1 && whole[0].count >= 2)
    for limit in [1, 2, 7] {
      let pages = try Self.pages(records, question, limit: limit)
      #expect(pages.flatMap { $0 } == whole[0])
      #expect(pages.allSatisfy { $0.count <= limit + 1 })
    }
  }

  @Test("it is the story that the command tells, starts of the server between two events included")
  func sameAsCommand() throws {
    let records = try Self.journal()
    let (scope, _) = try records.positions(of: "u1")
    let told = try records.entries { scope.belongs($0) }
    let pages = try Self.pages(records, .subject("u1"), limit: 5).flatMap { $0 }
    #expect(pages.filter { $0.event != "started" } == told.filter { $0.event != "started" })
    #expect(pages.contains { $0.text == "line 1" } && !pages.contains { $0.text == "line 2" })
  }

  @Test("a reader that has no time says where it stopped, and gets on")
  func noTime() throws {
    let records = try Self.journal()
    let whole = try Self.pages(records, .subject("u2"), limit: .max).flatMap { $0 }
    let hasty = try Self.pages(records, .subject("u2"), limit: .max, milliseconds: 0).flatMap { $0 }
    #expect(hasty == whole)
  }

  @Test("who asks for an earlier page again gets it, with the same names")
  func again() throws {
    let records = try Self.journal()
    let reader = JournalReader(directory: records.directory)
    var search = TimelineSearch(.subject("u0"), TimelineFilter(), in: .carillon)
    let first = try search.page(after: 0, limit: 4, head: 51, reader, milliseconds: 60_000)
    let second = try search.page(after: try #require(first.next), limit: 4, head: 51, reader, milliseconds: 60_000)
    #expect(try search.page(after: 0, limit: 4, head: 51, reader, milliseconds: 60_000).entries == first.entries)
    #expect(
      try search.page(after: first.next ?? 0, limit: 4, head: 51, reader, milliseconds: 60_000).entries
        == second.entries)
    #expect(second.entries.allSatisfy { $0.who == "User 0" })
  }

  @Test("what comes after the story was told to its end is told next, of new chats of the customer too")
  func grows() throws {
    let records = try Self.journal()
    let reader = JournalReader(directory: records.directory)
    var search = TimelineSearch(.subject("u0"), TimelineFilter(), in: .carillon)
    let all = try search.page(after: 0, limit: 100, head: 51, reader, milliseconds: 60_000)
    #expect(all.next == nil && all.searchedTo == 51)
    records.chat("new-chat", AuditRecords.created())
    records.chat("new-chat", AuditRecords.start("s9", user: "u0", nickname: "User 0", subject: "again"))
    records.chat("other-chat", AuditRecords.start("s10", user: "u7", nickname: "User 7"))
    try records.run()
    let rest = try search.page(after: 51, limit: 100, head: 54, reader, milliseconds: 60_000)
    // Starts of the server are nobody's.
    #expect(rest.entries.compactMap(\.entity) == [EntityID(.chatSession, "new-chat")])
    #expect(rest.next == nil && rest.searchedTo == 54)
  }

  @Test("nobody's story is empty, and it is sure")
  func nobody() throws {
    let records = try Self.journal()
    let reader = JournalReader(directory: records.directory)
    var search = TimelineSearch(.subject("stranger"), TimelineFilter(), in: .carillon)
    let page = try search.page(after: 0, limit: 4, head: 51, reader, milliseconds: 60_000)
    #expect(page.entries.isEmpty && page.next == nil && search.hasFoundNothing)
  }

  @Test("a push is found by the name that the world has of it, and by its producer and number")
  func pushNames() throws {
    let records = try AuditRecords()
    records.push("queue", .enqueued(AuditRecords.message(of: "1-chat", 1, device: "device")))
    records.push("queue", .enqueued(AuditRecords.message(of: "1-chat", 2, device: "device")))
    records.push("queue", .attemptBegan(PushID(producer: "1-chat", number: 2), attempt: 1))
    try records.run()
    let byNumber = try Self.pages(records, .message("1-chat/2"), limit: 10).flatMap { $0 }
    #expect(byNumber.map(\.position) == [2, 3])
    let name = try #require(byNumber.last?.what.split(separator: " ").last.map(String.init))
    #expect(try Self.pages(records, .message(name), limit: 10).flatMap { $0 } == byNumber)
    #expect(try Self.pages(records, .message("1-chat/3"), limit: 10).flatMap { $0 }.isEmpty)
  }
}
