import ChatDomain
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Journal
import PushDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Timeline of devices and pushes", .timeLimit(.minutes(1)))
struct DevicePushTimelineTests {
  private static let chat = "412-0b7c6e1e-aaaa"
  private static let token = "9f1c07ab5e6d4c3b2a1908f7e6d5c4b3"

  private static func message(_ number: Int) -> PushMessage {
    PushMessage(
      producer: chat, number: number, tag: "chat", alert: "New message", content: Array("{}".utf8),
      service: "request-chat", target: PushAddress(type: "ios", deviceID: token), owner: "u1")
  }

  private static func registration(owner: String, app: String? = "org.example.shop") -> DeviceRegistration {
    DeviceRegistration(
      address: PushAddress(type: "ios", deviceID: token), platform: "ios", app: app, owner: owner)
  }

  /// A push that is retried, comes back, and is delivered; one that becomes a dead letter, is retried and dropped; a
  /// device that is registered, moves, ends and is replaced.
  private static func story() throws -> AuditRecords {
    let records = try AuditRecords()
    func id(_ number: Int) -> PushID { PushID(producer: chat, number: number) }
    func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: AuditRecords.start + milliseconds) }
    records.add(.device, "device-key", DeviceEvent.registered(registration(owner: "u1")))
    records.chat(chat, AuditRecords.start("s1", user: "u1", nickname: "Mia", device: token))
    records.chat(chat, .pushRequested(number: 1, phase: 1, ordinal: 1, message: "New message", positions: [5]))
    records.push("queue", .enqueued(message(1)))
    records.push("queue", .attemptBegan(id(1), attempt: 1))
    records.after(200)
    records.push("queue", .retryScheduled(id(1), attempt: 1, until: time(2_200), reason: "503 ServiceUnavailable"))
    records.after(2_000)
    records.push("queue", .pauseEnded(producer: chat))
    records.push("queue", .attemptBegan(id(1), attempt: 2))
    records.push("queue", .attemptReturned(id(1), attempt: 2, reason: "refused stream"))
    records.push("queue", .attemptBegan(id(1), attempt: 2))
    records.after(300)
    records.push("queue", .settled(id(1), .delivered, attempts: 2, answer: "m-1"))
    records.push("queue", .enqueued(message(2)))
    records.push("queue", .attemptBegan(id(2), attempt: 1))
    records.push(
      "queue", .settled(id(2), .refused(reason: "413 PayloadTooLarge"), attempts: 1, isDeadLetter: true))
    records.push("queue", .deadLetterRetried(id(2)))
    records.push("queue", .settled(id(2), .failed(reason: "503"), attempts: 3, isDeadLetter: true))
    records.push("queue", .deadLetterDropped(id(2)))
    records.push("queue", .declined(id(3), .refused(reason: "the device has another owner now")))
    records.add(.device, "device-key", DeviceEvent.moved(registration(owner: "u2", app: nil)))
    records.add(.device, "device-key", DeviceEvent.ended(reason: "410 Unregistered"))
    records.push("queue", .unregistered(reason: "410 Unregistered"))
    records.add(.device, "device-key", DeviceEvent.registered(registration(owner: "u2", app: nil)))
    records.push("queue", .registered)
    records.add(
      .device, "device-key",
      DeviceEvent.replaced(by: PushAddress(type: "ios", deviceID: "0123456789abcdef0123456789abcdef")))
    records.add(.device, "device-key", DeviceEvent.erased(state: Device().stateBytes))
    try records.run()
    return records
  }

  @Test("it tells a push's whole life, and its device's")
  func reads() throws {
    var text = TimelineText()
    let uuid = PushUUID.text(of: PushID(producer: Self.chat, number: 1))
    let lines = try Self.story().entries().filter { !$0.isDetail && $0.entity?.kind != .chatSession }.map {
      text.line($0)
    }
    let expected = """
      2026-02-11 08:30:00.000Z      1  device device-k          device    is registered as ios #2e918334, for org.example.shop
      2026-02-11 08:30:00.200Z      6  push queue               push      push 1 to Mia: attempt 1 failed (503 ServiceUnavailable), tries again in 2.00 s
      2026-02-11 08:30:02.200Z      8  push queue               push      push 1 to Mia: attempt 2 goes out as \(uuid)
      2026-02-11 08:30:02.200Z      9  push queue               push      push 1 to Mia: attempt 2 does not count (refused stream)
      2026-02-11 08:30:02.200Z     10  push queue               push      push 1 to Mia: attempt 2 goes out as \(uuid)
      2026-02-11 08:30:02.500Z     11  push queue               push      push 1 to Mia was delivered, 2.50 s after it was asked for, 2 attempts, as m-1
      2026-02-11 08:30:02.500Z     14  push queue               push      push 2 to Mia was refused (413 PayloadTooLarge), and is kept as a dead letter
      2026-02-11 08:30:02.500Z     15  push queue               push      push 2 to Mia is a dead letter no longer: it is tried again
      2026-02-11 08:30:02.500Z     16  push queue               push      push 2 to Mia failed (503), 3 attempts, and is kept as a dead letter
      2026-02-11 08:30:02.500Z     18  push queue               push      push 3 to Mia was refused (the device has another owner now)
      2026-02-11 08:30:02.500Z     19  device device-k          device    has another owner now (ios #2e918334); what waits for the former one is not sent
      2026-02-11 08:30:02.500Z     20  device device-k          device    has ended (410 Unregistered)
      2026-02-11 08:30:02.500Z     21  push queue               push      the device is gone (410 Unregistered)
      2026-02-11 08:30:02.500Z     22  device device-k          device    is registered as ios #2e918334
      2026-02-11 08:30:02.500Z     23  push queue               push      the device is there again
      2026-02-11 08:30:02.500Z     24  device device-k          device    has ended: its provider names ios #a24ae6b7 in its place
      2026-02-11 08:30:02.500Z     25  device device-k          device    what it said of itself was erased
      """
    #expect(lines == expected.split(separator: "\n").map(String.init))
  }

  @Test("the details say when it came into its queue, went out first, and when a dead letter went")
  func details() throws {
    let uuid = PushUUID.text(of: PushID(producer: Self.chat, number: 2))
    let details = try Self.story().entries().filter { $0.isDetail && $0.entity?.kind == .pushQueue }.map(\.what)
    #expect(details.contains("push 1 to Mia is in the queue of its device"))
    #expect(details.contains("push 2 to Mia: attempt 1 goes out as \(uuid)"))
    #expect(details.contains("push 2 to Mia is no longer kept as a dead letter"))
    #expect(details.contains("goes on for Mia"))
  }

  @Test("every record can be told of, and machines get stable names")
  func names() throws {
    let text = TimelineText()
    let objects = try Self.story().entries().map { try JSONValue(parsing: text.json($0)) }
    let names = Set(objects.compactMap { $0["event"]?.string })
    #expect(
      names.isSuperset(of: [
        "enqueued", "declined", "settled", "retryScheduled", "pauseEnded", "unregistered", "registered", "attemptBegan",
        "attemptReturned", "deadLetterRetried", "deadLetterDropped", "moved", "ended", "replaced", "erased",
      ]))
    #expect(objects.allSatisfy { !($0["what"]?.string ?? "").contains("which this version") })
    let delivered = try #require(objects.first { $0["event"]?.string == "settled" })
    #expect(delivered["requestToOutcomeMilliseconds"]?.integer == 2_500)
  }

  @Test("machines need not read the words to know what became of a push")
  func fates() throws {
    let text = TimelineText()
    let objects = try Self.story().entries().map { try JSONValue(parsing: text.json($0)) }
    func told(_ event: String) -> [JSONValue] { objects.filter { $0["event"]?.string == event } }
    let retry = try #require(told("retryScheduled").first)
    #expect(retry["reason"]?.string == "503 ServiceUnavailable" && retry["outcome"] == nil)
    let until = Timestamp(milliseconds: AuditRecords.start + 2_200)
    #expect(retry["until"]?.string == until.iso8601Milliseconds)
    let settled = told("settled")
    #expect(settled.map { $0["outcome"]?.string } == ["delivered", "refused", "failed"])
    #expect(settled.map { $0["reason"]?.string } == [nil, "413 PayloadTooLarge", "503"])
    #expect(settled.map { $0["deadLetter"] != nil } == [false, true, true])
    // What asked for it, what took it and what ended it name one push.
    let first = ["pushRequested", "enqueued", "attemptBegan", "settled"].map { told($0).first?["message"]?.string }
    #expect(Set(first).count == 1)
    #expect(told("attemptBegan").first?["what"]?.string?.hasSuffix(" goes out as \(first[0] ?? "–")") == true)
    #expect(told("ended").first?["reason"]?.string == "410 Unregistered")
    #expect(told("linePosted").allSatisfy { $0["message"] == nil && $0["outcome"] == nil })
  }

  @Test(
    "no token stands in full anywhere, whatever its kind",
    arguments: [Self.token, "short", "https://example.org/push/abcdef/geheim"])
  func tokens(token: String) throws {
    let records = try AuditRecords()
    let address = PushAddress(type: "httpcb", deviceID: token, authorization: "dXNlcjpwYXNz")
    let registration = DeviceRegistration(address: address, owner: "u1")
    records.chat(Self.chat, AuditRecords.start("s1", user: "u1", nickname: "Mia", device: token))
    records.add(.device, "k", DeviceEvent.registered(registration))
    records.add(.device, "k", DeviceEvent.moved(registration))
    records.add(.device, "k", DeviceEvent.replaced(by: address))
    var device = Device()
    device.evolve(.registered(registration), at: .epoch)
    records.add(.device, "k", DeviceEvent.erased(state: device.stateBytes))
    records.push(
      "q",
      .enqueued(
        PushMessage(
          producer: Self.chat, number: 1, tag: "chat", alert: "", content: [], service: "s", target: address)))
    try records.run()
    var text = TimelineText()
    let entries = try records.entries()
    #expect(entries.count == 6)
    for entry in entries {
      for line in [text.line(entry), String(decoding: text.json(entry), as: UTF8.self)] {
        #expect(!line.contains(token) && !line.contains("dXNlcjpwYXNz"), "\(line)")
      }
    }
  }

  @Test("a real journal of devices and pushes is told without a gap or a token")
  func real() async throws {
    let rig = try await DeviceRig()
    let token = "SECRET-\(Self.token)"
    let chat = try await rig.backgroundChat(user: "alice", device: token)
    rig.provider.answer(.retryable(reason: "503 busy"), .delivered(id: "m-2", replacement: "SECRET-2-\(Self.token)"))
    try await rig.say("one", in: chat)
    try await rig.advance(by: .seconds(5))
    rig.provider.answer(.refused(reason: "400 BadTopic"), .unregistered(reason: "410 Unregistered"))
    try await rig.say("two", in: chat)
    try await rig.say("three", in: chat)
    try await rig.stop()
    var timeline = Timeline(.carillon)
    var text = TimelineText()
    var lines: [String] = []
    try JournalReader(directory: rig.directory.appending("journal")).forEachRecord { record in
      lines += timeline.entries(of: record).map { text.line($0) }
    }
    #expect(
      !lines.contains { $0.contains(token) || $0.contains("SECRET-2-\(Self.token)") || $0.contains("this version") })
    for part in [
      "is registered as test #", "attempt 1 failed (503 busy), tries again in",
      "attempt 2 goes out as", ", as m-2", "has ended: its provider names test #",
      "was refused (400 BadTopic), 0 ms after it was asked for, and is kept as a dead letter",
      "the device is gone (410 Unregistered)",
    ] {
      #expect(lines.contains { $0.contains(part) }, "\(part)")
    }
  }
}
