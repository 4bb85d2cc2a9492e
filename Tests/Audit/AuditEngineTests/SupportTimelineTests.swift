import EventSourcing
import JSONEnvelope
import JournalFormat
import PushDomain
import SupportDomain
import Testing

@testable import Engine

@Suite("Timeline of support requests")
struct SupportTimelineTests {
  private static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: AuditRecords.start + milliseconds)
  }

  private static func comment(
    _ number: Int, by author: Int64, _ role: SupportRole, _ body: String, isPublic: Bool = true,
    attachments: [SupportAttachment] = []
  ) -> SupportComment {
    SupportComment(
      number: number, author: author, role: role, isPublic: isPublic, body: body, attachments: attachments,
      createdAt: .epoch)
  }

  private static func message(_ number: Int) -> PushMessage {
    PushMessage(
      producer: "request/5", number: number, tag: "support.comment", alert: "", content: Array("{}".utf8),
      service: "demo", target: PushAddress(type: "support", deviceID: "1", provider: "demo"), owner: "support/1")
  }

  /// Mia's request, which Kim answers three times: at once, onto an open screen, and after the devices are gone.
  private static func story() throws -> AuditRecords {
    let records = try AuditRecords()
    func request(_ event: SupportRequestEvent) { records.add(.supportRequest, "5", event) }
    func user(_ key: String, _ event: SupportUserEvent) { records.add(.supportUser, key, event) }
    let mia = SupportIdentity(key: .verified("external:42"), name: "Mia", email: "mia@example.org")
    // 1, 2, 3
    user("2", .identified(SupportIdentity(key: .agent("kim"), name: "Kim")))
    user("1", .identified(mia))
    user("1", .tokenIssued(SupportAccessToken(digest: [7], app: "demo", issuedAt: .epoch), usedID: nil))
    // 4, 5
    for event in try AuditRecords.registered([("abcd", .ios), ("and-1", .android)]) { user("1", event) }
    // 6
    let file = SupportAttachment(token: "T1", fileName: "a.png", contentType: "image/png", size: 1_234)
    request(
      .created(
        SupportRequestTerms(requester: 1, channel: .mobileSDK, app: "demo", subject: "Order 81"),
        comment(1, by: 1, .endUser, "Where is it?", attachments: [file]), tags: ["vip"],
        fields: [SupportField(id: 3, value: Array("1".utf8))],
        duties: [
          SupportDuty(number: 1, kind: .report(.created, comment: 1)),
          SupportDuty(number: 2, kind: .keepFiles(comment: 1)),
        ]))
    // 7, 8, 9
    records.push("hook", .enqueued(message(1)))
    request(.handedOver(number: 1))
    request(.handedOver(number: 2))
    records.after(2_500)
    // 10
    records.push("hook", .settled(PushID(producer: "request/5", number: 1), .delivered, attempts: 1))
    // 11, 12, 13
    request(.commentAdded(comment(2, by: 2, .agent, "On its way"), noticeAt: nil, duties: []))
    request(.updated(by: 2, status: .open, tags: nil, fields: [], assignee: 2, duties: []))
    let part = SupportPartDraft(integration: .webhook, devices: [1, 2], language: "de")
    request(
      .notificationPlanned(comment: 2, duties: [SupportDuty(number: 3, kind: .notify(comment: 2, part))]))
    // 14, 15
    records.push("hook", .enqueued(message(3)))
    request(.handedOver(number: 3))
    records.after(500)
    // 16
    records.push(
      "hook",
      .retryScheduled(PushID(producer: "request/5", number: 3), attempt: 1, until: time(8_000), reason: "HTTP 503"))
    records.after(5_000)
    // 17
    records.push(
      "hook",
      .settled(
        PushID(producer: "request/5", number: 3), .failed(reason: "HTTP 503"), attempts: 2, isDeadLetter: true))
    // 18, 19
    request(.read(upTo: 2, device: 1))
    request(.commentAdded(comment(3, by: 2, .agent, "Ask the depot", isPublic: false), noticeAt: nil, duties: []))
    // 20, 21, 22, 23
    request(.commentAdded(comment(4, by: 2, .agent, "It is there"), noticeAt: time(10_000), duties: []))
    request(.refreshed(comment: 4, device: 1))
    records.after(2_000)
    let rest = SupportPartDraft(integration: .webhook, devices: [2], language: nil)
    request(
      .notificationPlanned(comment: 4, duties: [SupportDuty(number: 4, kind: .notify(comment: 4, rest))]))
    request(.notificationSuppressed(comment: 4, .refreshed, devices: [1]))
    // 24, 25
    user("1", .deviceEnded(id: 1, .user))
    user("1", .deviceEnded(id: 2, .bulk))
    // 26, 27, 28
    request(.commentAdded(comment(5, by: 2, .agent, "Bye"), noticeAt: nil, duties: []))
    request(.notificationSuppressed(comment: 5, .noDevices, devices: []))
    request(
      .updated(
        by: nil, status: .solved, tags: ["vip", "late"], fields: [SupportField(id: 3, value: [])], assignee: nil,
        duties: []))
    // 29: of another request.
    records.push("hook", .settled(PushID(producer: "request/6", number: 1), .delivered, attempts: 1))
    try records.run()
    return records
  }

  /// Without times and columns: record, who, what.
  private static func told(
    _ records: AuditRecords, details: Bool = false, texts: Bool = true, where isTold: (borrowing RecordView) -> Bool
  ) throws -> [String] {
    var text = TimelineText(showsTexts: texts)
    return try records.entries(where: isTold).filter { $0.entity != nil && (details || !$0.isDetail) }.map { entry in
      let line = text.line(entry).dropFirst("2026-02-11 08:30:00.000Z  ".count)
      return String(line.drop { $0 == " " }.replacing(#/ {2,}/#, with: " "))
    }
  }

  @Test("a request tells its whole story, with what became of its pushes")
  func request() throws {
    let scope = EntityScope(EntityID(.supportRequest, "5"), in: .carillon)
    #expect(
      try Self.told(try Self.story()) { scope.belongs($0) } == [
        "6 request 5 user 1 makes the request in the app demo (mobile_sdk) about “Order 81”, with 1 tag and 1 field",
        "6 request 5 1 user 1 comments “Where is it?”, with 1 file of 1234 bytes",
        "10 push hook push push 1 to the helpdesk was delivered, 2.50 s after it was asked for",
        "11 request 5 2 agent 2 comments “On its way” (answers after 2.50 s)",
        "12 request 5 agent 2 makes it open; assigns it to agent 2",
        "13 request 5 server tells 2 devices of comment 2 by webhook, in the language de, by push 3",
        "16 push hook push push 3 to user 1: attempt 1 failed (HTTP 503), tries again in 5.00 s",
        "17 push hook push push 3 to user 1 failed (HTTP 503), 5.50 s after it was asked for, 2 attempts, and is kept as a "
          + "dead letter",
        "19 request 5 3 agent 2 comments for agents only “Ask the depot”",
        "20 request 5 4 agent 2 comments “It is there”; its notification waits 2.00 s",
        "21 request 5 user 1 has comment 4 on the screen of device 1",
        "22 request 5 server tells 1 device of comment 4 by webhook, by push 4",
        "23 request 5 server tells not device 1 of comment 4: it is on the screen already",
        "26 request 5 5 agent 2 comments “Bye”",
        "27 request 5 server tells nobody of comment 5: no device is registered that could be reached",
        "28 request 5 somebody makes it solved; changes 1 field; tags it “vip, late”",
      ])
  }

  @Test("of people it tells names, what they registered, and how that ended")
  func people() throws {
    let ios = "ios #\(DeviceKey.of(PushAddress(type: "ios", deviceID: "abcd")).prefix(8))"
    let android = "android #\(DeviceKey.of(PushAddress(type: "android", deviceID: "and-1")).prefix(8))"
    let lines = try Self.told(try Self.story()) { $0.kind == EntityKind.supportUser.rawValue }
    #expect(
      lines == [
        "1 user 2 Kim is new: the agent kim",
        "2 user 1 Mia is new: the app's back end vouches, with the e-mail “mia@example.org”",
        "3 user 1 Mia signs in to demo",
        "4 user 1 Mia registers device 1: \(ios) of demo, in en-us",
        "5 user 1 Mia registers device 2: \(android) of demo, in en-us",
        "24 user 1 Mia unregisters device 1 (\(ios))",
        "25 user 1 back end unregisters device 2 (\(android))",
      ])
  }

  @Test("told together, people go by their names")
  func names() throws {
    let lines = try Self.told(try Self.story()) { _ in true }
    #expect(lines.contains("11 request 5 2 Kim comments “On its way” (answers after 2.50 s)"))
    #expect(lines.contains("12 request 5 Kim makes it open; assigns it to Kim"))
    #expect(lines.contains { $0.hasSuffix("push 3 to Mia: attempt 1 failed (HTTP 503), tries again in 5.00 s") })
  }

  @Test("details are the bookkeeping")
  func details() throws {
    let lines = try Self.told(try Self.story(), details: true) { _ in true }
    for line in [
      "6 request 5 server tells the helpdesk of comment 1, by push 1",
      "6 request 5 server has the storage keep the files of comment 1",
      "8 request 5 server owes push 1 no longer: its queue has it", "9 request 5 server has the files in safety",
      "18 request 5 Mia has read up to comment 2, on device 1",
    ] {
      #expect(lines.contains(line))
    }
  }

  @Test("without texts nothing of what people wrote is printed, and identifiers never are")
  func hidden() throws {
    let lines = try Self.told(try Self.story(), details: true, texts: false) { _ in true }
    for written in ["Order", "Where", "depot", "mia@", "vip", "abcd", "and-1"] {
      #expect(!lines.contains { $0.contains(written) })
    }
    #expect(lines.contains("11 request 5 2 Kim comments (10 characters) (answers after 2.50 s)"))
    let all = try Self.told(try Self.story(), details: true) { _ in true }
    for secret in ["abcd", "and-1"] { #expect(!all.contains { $0.contains(secret) }) }
  }

  @Test("machines get the comment's number, and spans in milliseconds")
  func json() throws {
    let objects = try Self.story().entries().map { try JSONValue(parsing: TimelineText().json($0)) }
    let answer = try #require(objects.first { $0["text"]?.string == "On its way" })
    #expect(answer["kind"]?.string == "request" && answer["id"]?.string == "5")
    #expect(answer["event"]?.string == "commentAdded" && answer["transcriptPosition"]?.integer == 2)
    #expect(answer["answerTimeMilliseconds"]?.integer == 2_500)
  }

  @Test(
    "how a device ends, and by whom",
    arguments: [
      (SupportDevice.Reason.user, "Ann unregisters device 1"), (.bulk, "back end unregisters device 1"),
      (.provider, "push device 1"), (.evicted, "server lets device 1"), (.identityChanged, "server lets device 1"),
      (.moved, "server lets device 1"),
    ])
  func ends(reason: SupportDevice.Reason, beginning: String) throws {
    let records = try AuditRecords()
    let registered = try AuditRecords.registered([("abcd", .ios)])[0]
    let ann = SupportIdentity(key: .anonymous(app: "demo", guid: "g"), name: "Ann")
    records.add(.supportUser, "3", SupportUserEvent.identified(ann))
    records.add(.supportUser, "3", registered)
    records.add(.supportUser, "3", SupportUserEvent.deviceEnded(id: 1, reason))
    records.add(.supportUser, "3", registered)
    records.add(.supportUser, "3", SupportUserEvent.deviceRefreshed(id: 1, locale: "de"))
    records.add(.supportUser, "3", SupportUserEvent.identityChanged(SupportIdentity(key: ann.key, name: "Bea")))
    try records.run()
    let lines = try Self.told(records, details: true) { _ in true }
    try #require(lines.count == 6)
    #expect(lines[0] == "1 user 3 Ann is new, and anonymous in demo")
    #expect(lines[2].hasPrefix("3 user 3 " + beginning))
    #expect(lines[3].hasPrefix("4 user 3 Ann registers device 1 again: ios #"))
    #expect(lines[4] == "5 user 3 Ann shows device 1 again, in de")
    #expect(lines[5] == "6 user 3 Bea says to be somebody else: tokens and devices end")
  }

  @Test("of an app it tells which integration it has, and who changed its URL, which stays a secret")
  func app() throws {
    let records = try AuditRecords()
    func app(_ event: SupportAppEvent) { records.add(.supportApp, "demo", event) }
    func webhook(_ secret: String?) -> SupportApp.Webhook {
      SupportApp.Webhook(base: "https://push.example.test/hook", secret: secret, at: .epoch, by: "olga")
    }
    app(.integrationChanged(.webhook))
    app(.webhookSet(webhook("first-secret-ab12"), previous: nil))
    let former = SupportApp.Previous(url: webhook("first-secret-ab12").url, until: Self.time(86_400_000))
    app(.webhookSet(webhook("other-secret-cd34"), previous: former))
    app(.webhookSet(webhook(nil), previous: nil))
    app(.webhookCleared(by: "otto"))
    try records.run()
    #expect(
      try Self.told(records) { _ in true } == [
        "1 app demo operator has notifications go by webhook from now on",
        "2 app demo olga sets the URL of the webhook to https://push.example.test/…ab12",
        "3 app demo olga rotates the URL of the webhook, to https://push.example.test/…cd34; the one before is to be "
          + "accepted for 1 d 00 h",
        "4 app demo olga sets the URL of the webhook to https://push.example.test/…",
        "5 app demo otto gives the URL of the webhook up: the configuration's holds",
      ])
  }

  @Test("a request that a chat was turned into says so; by mail it is made for somebody")
  func origins() throws {
    let records = try AuditRecords()
    let chat = SupportTranscript(serviceID: "412-0b7c6e1e-aaaa", chatID: "s1", position: 7)
    records.add(
      .supportRequest, "8",
      SupportRequestEvent.created(
        SupportRequestTerms(requester: 4, channel: .chat, subject: "Chat", transcript: chat),
        Self.comment(1, by: 2, .agent, "See there"), tags: [], fields: [], duties: []))
    records.add(.supportRequest, "8", SupportRequestEvent.notificationSuppressed(comment: 1, .coalesced, devices: []))
    let alive = SupportRequest(replaying: [
      .created(
        SupportRequestTerms(requester: 4, channel: .chat, subject: "Chat", transcript: chat),
        Self.comment(1, by: 2, .agent, "See there"), tags: [], fields: [], duties: [])
    ])
    records.add(.supportRequest, "8", SupportRequestEvent.erased(state: alive.stateBytes))
    records.add(.supportRequest, "8", SupportRequestEvent.erased(state: SupportRequest().stateBytes))
    records.add(.supportRequest, "8", SupportRequestEvent.filesDropped)
    try records.run()
    #expect(
      try Self.told(records, details: true) { _ in true } == [
        "1 request 8 agent 2 makes the request for user 4 (chat) about “Chat”; it comes from the chat 412-0b7c6e1e…, up to "
          + "event 7",
        "1 request 8 1 agent 2 comments “See there”",
        "2 request 8 server tells nobody of comment 1: a newer comment takes its place",
        "3 request 8 request states itself anew",
        "4 request 8 operator has erased what was said, and whose request it was",
        "5 request 8 server has dropped the files of the erased comments",
      ])
  }
}

extension SupportRequest {
  fileprivate init(replaying events: [SupportRequestEvent]) {
    self.init()
    for event in events { evolve(event, at: .epoch) }
  }
}
