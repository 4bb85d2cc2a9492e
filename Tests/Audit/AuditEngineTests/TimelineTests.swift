import ChatDomain
import EventSourcing
import JSONEnvelope
import PushDomain
import Testing

@testable import Engine

@Suite("Timeline")
struct TimelineTests {
  private static let chat = "412-0b7c6e1e-aaaa"

  /// A phase in the background with a push that is held back, retried and delivered.
  private static func story() throws -> AuditRecords {
    let records = try AuditRecords()
    records.chat(chat, AuditRecords.created())
    records.chat(chat, AuditRecords.start("s1", user: "u1", nickname: "Mia", subject: "Order 81", device: "device-77"))
    records.comet("clientclient", .opened(userKey: "u1", serviceID: nil, acknowledges: true, browserID: nil))
    records.after(2_500)
    records.chat(chat, .agentJoined(agentID: "agent-k", nickname: "Agent K", role: .agent))
    records.chat(chat, .linePosted(party: 0, type: .messageText, text: "Where is my order?"))
    records.after(500)
    records.chat(chat, .linePosted(party: 0, type: .messageText, text: "Hello?"))
    records.chat(
      chat, .customerAbsent(session: "clientclient", position: 4, written: 4, cause: .disconnected))
    records.comet("clientclient", .closed(reason: "disconnected"))
    records.after(1_800)
    records.chat(chat, .linePosted(party: 1, type: .messageText, text: "One moment"))
    records.chat(
      chat,
      .pushDelayStarted(phase: 1, positions: [5], deadline: Timestamp(milliseconds: AuditRecords.start + 9_800)))
    records.after(5_000)
    records.chat(chat, .pushRequested(number: 1, phase: 1, ordinal: 1, message: "New message", positions: [5]))
    records.push("queue", .enqueued(AuditRecords.message(of: chat, 1, device: "device-77")))
    records.push(
      "queue",
      .retryScheduled(
        PushID(producer: chat, number: 1), attempt: 1,
        until: Timestamp(milliseconds: AuditRecords.start + 11_800), reason: "HTTP 503"))
    records.after(2_050)
    records.push("queue", .settled(PushID(producer: chat, number: 1), .delivered, attempts: 2))
    records.chat(chat, .customerReturned)
    records.after(60_000)
    records.chat(chat, .chatEnded(party: 1, cause: .party))
    records.chat(chat, .expired)
    try records.run()
    return records
  }

  @Test("it tells what agents do beside the conversation")
  func desk() throws {
    let records = try AuditRecords()
    records.chat(Self.chat, AuditRecords.created())
    records.chat(Self.chat, AuditRecords.start("s1", user: "u1", nickname: "Mia"))
    records.chat(Self.chat, .agentJoined(agentID: "agent-k", nickname: "Agent K", role: .agent))
    records.chat(
      Self.chat, .privateNoted(agentID: "agent-k", nickname: "Agent K", role: .agent, text: "Difficult"))
    records.chat(Self.chat, .privateNoted(agentID: "boss", nickname: "boss", role: .supervisor, text: "Be kind"))
    records.chat(Self.chat, .read(agentID: "agent-k", upTo: 2))
    records.chat(Self.chat, .agentInvited(agentID: "agent-l", inviter: "agent-k"))
    records.chat(Self.chat, .deskChanged(to: "help"))
    records.chat(Self.chat, .pushSettled(number: 1, outcome: .delivered))
    records.chat(
      Self.chat, .wrappedUp(agentID: "agent-k", disposition: "sold", note: "call back", tags: ["vip", "gold"]))
    try records.run()
    let told = try records.entries().suffix(7).map { [$0.who, $0.what, $0.text ?? "", $0.remark, "\($0.isDetail)"] }
    #expect(
      told == [
        ["Agent K", "tells the agents", "Difficult", " (agent-k)", "false"],
        ["boss", "tells the agents", "Be kind", "", "false"],
        ["agent-k", "has read the events up to 2", "", "", "true"],
        ["agent-k", "invites agent-l", "", "", "false"],
        ["server", "hands the chat to the agents of help", "", "", "false"],
        ["server", "tells the agents what became of push 1: delivered", "", "", "true"],
        ["agent-k", "wraps the chat up:", "sold, call back, vip, gold", "", "false"],
      ])
  }

  @Test("it tells to whom a chat was offered, and what came of it")
  func offers() throws {
    let records = try AuditRecords()
    records.chat(Self.chat, AuditRecords.created())
    records.chat(Self.chat, AuditRecords.start("s1", user: "u1", nickname: "Mia"))
    let offer = ChatOffer(agentID: "agent-k", until: Timestamp(milliseconds: 1_770_798_625_000))
    records.chat(Self.chat, .offered(offer))
    for end in ChatOfferEnd.allCases { records.chat(Self.chat, .offerEnded(offer, end)) }
    try records.run()
    let told = try records.entries().suffix(7).map { [$0.who, $0.what, "\($0.isDetail)"] }
    #expect(
      told == [
        ["server", "offers the chat to agent-k until 2026-02-11T08:30:25Z", "false"],
        ["agent-k", "takes what was offered", "true"],
        ["agent-k", "lets the offer pass", "false"],
        ["agent-k", "sends the offer away", "false"],
        ["server", "takes the offer back: agent-k is not there, or not ready", "false"],
        ["server", "takes the offer back from agent-k: somebody else has joined", "false"],
        ["server", "takes the offer back from agent-k: the chat is over", "true"],
      ])
  }

  @Test("it tells of files by their names, and counts them as words")
  func files() throws {
    let records = try AuditRecords()
    func file(_ name: String) -> ChatFile {
      ChatFile(id: "f", name: name, contentType: "image/png", byteCount: 1_234, url: "https://a.test/f")
    }
    records.chat(Self.chat, AuditRecords.created())
    records.chat(Self.chat, AuditRecords.start("s1", user: "u1", nickname: "Mia"))
    records.chat(Self.chat, .agentJoined(agentID: "agent-k", nickname: "Agent K", role: .agent))
    records.chat(Self.chat, .filePosted(party: 0, file: file("a.png")))
    records.chat(Self.chat, .filePosted(party: 1, file: file("b.png")))
    try records.run()
    let entries = try records.entries().suffix(2)
    #expect(entries.map(\.who) == ["Mia", "Agent K"] && entries.map(\.text) == ["a.png", "b.png"])
    #expect(entries.allSatisfy { $0.what == "sends the file" && $0.remark.hasPrefix(" (image/png, 1234 bytes)") })
    #expect(entries.map(\.transcriptPosition) == [3, 4])
    #expect(entries.last?.remark.contains("answers after") == true)
    var text = TimelineText(showsTexts: false)
    for entry in entries { #expect(!text.line(entry).contains(".png")) }
  }

  @Test("it reads like the story that happened")
  func reads() throws {
    var text = TimelineText()
    let lines = try Self.story().entries().filter { !$0.isDetail }.map { text.line($0) }
    let expected = """
      2026-02-11 08:30:00.000Z      2  chat 412-0b7c6e1e     1  Mia       starts a chat about “Order 81”; pushes go to a device of the type customhttp
      2026-02-11 08:30:00.000Z      3  comet clientcl           Mia       opens a Comet session
      2026-02-11 08:30:02.500Z      4  chat 412-0b7c6e1e     2  Agent K   joins (agent-k) after 2.50 s
      2026-02-11 08:30:02.500Z      5  chat 412-0b7c6e1e     3  Mia       “Where is my order?”
      2026-02-11 08:30:03.000Z      6  chat 412-0b7c6e1e     4  Mia       “Hello?”
      2026-02-11 08:30:03.000Z      7  chat 412-0b7c6e1e        Mia       goes to the background, has the events up to 4
      2026-02-11 08:30:03.000Z      8  comet clientcl           Mia       closes the Comet session after 3.00 s
      2026-02-11 08:30:04.800Z      9  chat 412-0b7c6e1e     5  Agent K   “One moment” (answers after 2.30 s)
      2026-02-11 08:30:04.800Z     10  chat 412-0b7c6e1e        server    holds the push of event 5 back for 5.00 s
      2026-02-11 08:30:09.800Z     11  chat 412-0b7c6e1e        server    asks for push 1 of event 5: “New message”, held back for 5.00 s
      2026-02-11 08:30:09.800Z     13  push queue               push      push 1 to Mia: attempt 1 failed (HTTP 503), tries again in 2.00 s
      2026-02-11 08:30:11.850Z     14  push queue               push      push 1 to Mia was delivered, 2.05 s after it was asked for, 2 attempts
      2026-02-11 08:30:11.850Z     15  chat 412-0b7c6e1e        Mia       is back after 8.85 s in the background
      2026-02-11 08:31:11.850Z     16  chat 412-0b7c6e1e     6  Agent K   ends the chat after 1 min 11 s
      2026-02-11 08:31:11.850Z     17  chat 412-0b7c6e1e        server    lets the chat go: its time to live has passed
      """
    #expect(lines == expected.split(separator: "\n").map(String.init))
  }

  @Test("machines get the same, with stable names, and spans in milliseconds")
  func json() throws {
    let text = TimelineText()
    let entries = try Self.story().entries()
    let objects = try entries.map { try JSONValue(parsing: text.json($0)) }
    let answer = try #require(objects.first { $0["text"]?.string == "One moment" })
    #expect(answer["position"]?.integer == 9)
    #expect(answer["time"]?.string == "2026-02-11T08:30:04.800Z")
    #expect(answer["kind"]?.string == "chat")
    #expect(answer["id"]?.string == Self.chat)
    #expect(answer["event"]?.string == "linePosted")
    #expect(answer["transcriptPosition"]?.integer == 5)
    #expect(answer["who"]?.string == "Agent K")
    #expect(answer["answerTimeMilliseconds"]?.integer == 2_300)
    let outcome = try #require(objects.first { $0["event"]?.string == "settled" })
    #expect(outcome["requestToOutcomeMilliseconds"]?.integer == 2_050)
  }

  @Test("without texts nothing of what people wrote is printed")
  func hidden() throws {
    var text = TimelineText(showsTexts: false)
    for entry in try Self.story().entries() {
      for line in [text.line(entry), String(decoding: text.json(entry), as: UTF8.self)] {
        for written in ["Where", "Hello", "moment", "Order"] { #expect(!line.contains(written)) }
      }
    }
  }

  @Test("what people wrote cannot play with the terminal, nor fake a line")
  func escapes() throws {
    let records = try AuditRecords()
    records.chat("1-a", AuditRecords.start("s", user: nil, nickname: "M\u{1B}[2Jia"))
    records.chat("1-a", .linePosted(party: 0, type: .messageText, text: "a\nb\u{202E}c\u{2028}\u{7F}"))
    try records.run()
    var text = TimelineText()
    let lines = try records.entries().map { text.line($0) }
    #expect(lines[0].hasSuffix("M\\u{1b}[2Jia  starts a chat"))
    #expect(lines[1].hasSuffix("“a\\nb\\u{202e}c\\u{2028}\\u{7f}”"))
  }

  @Test("long ids and names widen their column, and leave the ones behind it in line")
  func columns() {
    func entry(_ kind: EntityKind, _ key: String, _ who: String) -> TimelineEntry {
      TimelineEntry(
        position: 1, time: .epoch, entity: EntityID(kind, key), event: "e", who: who, what: "does it")
    }
    var text = TimelineText()
    _ = text.line(entry(.installation, "4611686018427387904", "a name that has no end in sight at all"))
    let lines = [
      text.line(entry(.installation, "4611686018427387904", "Mia")),
      text.line(entry(.chatSession, "1-34d1a8c0", "Otto")),
      text.line(entry(.callback, "7Q2M0D1K4H9A3L0R00512B80C00001A4", "Agent K")),
    ]
    let columns = Set(lines.map { $0.count - "does it".count })
    #expect(lines.allSatisfy { $0.hasSuffix("does it") })
    #expect(columns.count == 1, "\(lines)")
  }

  @Test("a restart of the server is seen as the gap that it was")
  func restart() throws {
    let records = try AuditRecords()
    records.chat("1-a", AuditRecords.start("s", user: nil, nickname: "Mia"))
    records.chat("1-a", .linePosted(party: 0, type: .messageText, text: String(repeating: "before ", count: 30)))
    records.chat("1-a", .linePosted(party: 0, type: .messageText, text: String(repeating: "before ", count: 30)))
    try records.run()
    records.after(42_000)
    records.chat("1-a", .linePosted(party: 0, type: .messageText, text: String(repeating: "after ", count: 30)))
    records.chat("1-a", .linePosted(party: 0, type: .messageText, text: "more"))
    try records.run()
    #expect(
      try records.entries().map(\.event) == [
        "started", "linePosted", "linePosted", "started", "linePosted", "linePosted",
      ])
    let start = try #require(try records.entries().dropFirst().first { $0.event == "started" })
    #expect(start.who == "server")
    #expect(start.spans.first?.kind == .silence)
  }

  @Test("spans are written as a person says them")
  func spans() {
    func text(_ milliseconds: Int64) -> String {
      TimelineSpan(.chat, from: .epoch, to: Timestamp(milliseconds: milliseconds)).text
    }
    #expect(text(-5) == "0 ms")
    #expect(text(999) == "999 ms")
    #expect(text(1_000) == "1.00 s")
    #expect(text(59_999) == "59.99 s")
    #expect(text(60_000) == "1 min 00 s")
    #expect(text(3_599_999) == "59 min 59 s")
    #expect(text(7_500_000) == "2 h 05 min")
    #expect(text(93_600_000) == "1 d 02 h")
  }
}
