import CallbackDomain
import ChatDomain
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Callbacks in the audit and in redactions", .timeLimit(.minutes(1)))
struct CallbackRedactionTests {
  private static let id = "CB0123456789"
  private static let producer = "callback/\(id)"

  private static func request(
    _ number: String, user: String, device: String? = nil, more: [NameValuePair] = []
  ) -> CallbackRequest {
    var request = CallbackRequest(serviceName: "callback-voice", userKey: user)
    request.fields = [NameValuePair("_customer_number", number), NameValuePair("_media_type", "voice")] + more
    request.terms.confirms = true
    request.device = device.map { CallbackDevice(type: "customhttp", deviceID: $0) }
    return request
  }

  private static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: AuditRecords.start + seconds * 1_000)
  }

  /// Mia's callback from the order to its end, with its push and its chat; Otto's order, and a push to the same device.
  private static func story() throws -> AuditRecords {
    let records = try AuditRecords()
    func callback(_ event: CallbackEvent) { records.add(.callback, id, event) }
    // 1, 2
    callback(
      .created(
        request("5551234", user: "user-mia", device: "device-77"), expiresAt: time(86_400), dueAt: nil))
    records.add(
      .callback, "CB-otto",
      CallbackEvent.created(request("5559876", user: "user-otto"), expiresAt: time(86_400), dueAt: time(600)))
    records.after(5_000)
    // 3, 4
    callback(.agentReserved(agentID: "Kim", until: nil))
    callback(
      .confirmationAsked(attempt: 1, until: time(35), push: CallbackPush(number: 1, dialog: .confirm, expiry: time(35)))
    )
    // 5, 6, 7
    records.push("queue", .enqueued(AuditRecords.message(of: producer, 1, device: "device-77")))
    records.push("queue", .enqueued(AuditRecords.message(of: "CB-other", 1, device: "device-78")))
    callback(.pushHandedOver(number: 1))
    records.after(2_000)
    // 8
    records.push("queue", .settled(PushID(producer: producer, number: 1), .delivered, attempts: 1))
    // 9, 10, 11
    callback(.fieldsChanged([NameValuePair("email", "mia@example.org")]))
    callback(.snoozed(until: time(307)))
    callback(.snoozeEnded)
    // 12, 13, 14
    callback(.agentReserved(agentID: "Lee", until: time(337)))
    callback(.agentReleased(agentID: "Lee", .timeout))
    callback(.routed(.chatStarted, push: nil))
    // 15, 16
    records.chat(id, AuditRecords.created())
    records.chat(id, AuditRecords.start("session-mia", user: "user-mia", nickname: "Mia"))
    // 17, 18, 19
    callback(.connected(agentID: "Kim"))
    records.after(60_000)
    callback(.completed(.agentConnected, note: "", keptUntil: time(90_000)))
    callback(.forgotten)
    try records.run()
    return records
  }

  @Test("the timeline tells a callback from the order to its end, with its push and its chat")
  func timeline() throws {
    let scope = EntityScope(EntityID(.callback, Self.id), in: .carillon)
    var text = TimelineText()
    let lines = try Self.story().entries { scope.belongs($0) }.filter { $0.entity != nil && !$0.isDetail }.map {
      String(text.line($0).dropFirst("2026-02-11 08:30:00.000Z  ".count))
    }
    let label = "callback CB0123456789  "
    let told = lines.map { line in
      line.drop { $0 == " " }.replacing(label, with: "").replacing(#/ {2,}/#, with: " ")
    }
    #expect(
      told == [
        "1 customer orders a callback of the service callback-voice with “_customer_number=5551234, _media_type=voice”; "
          + "pushes go to a device of the type customhttp",
        "3 Kim is held for the callback while the customer is asked, after 5.00 s in the queue",
        "4 server asks the customer whether it suits them now, and waits 30.00 s, by push 1 "
          + "(get-dialog-user-confirmation-provide_code-false)",
        "8 push queue push push 1 to customer was delivered, 2.00 s after it was asked for",
        "9 customer changes the callback: “email=mia@example.org”",
        "10 customer does not want to be asked for 5 min 00 s",
        "11 server takes the callback into the queue again",
        "12 Lee is offered the callback, for 5 min 30 s",
        "13 Lee does not react in time, and loses the callback",
        "14 customer starts the chat of the callback",
        "16 chat CB0123456789 1 Mia starts a chat",
        "17 Kim is connected with the customer",
        "18 server ends the callback: the conversation is over after 1 min 00 s",
        "19 server lets the callback go: it was kept long enough",
      ])
  }

  @Test(
    "a callback is found by key, id, number, any field and device, and brings its pushes and its chat",
    arguments: ["user-mia", id, "5551234", "mia@example.org", "device-77", "session-mia"])
  func found(subject: String) throws {
    let (scope, positions) = try Self.story().positions(of: subject)
    #expect(positions == [1, 3, 4, 5] + Array(7...19))
    #expect(
      scope.entities
        == [EntityID(.callback, Self.id), EntityID(.chatSession, Self.id), EntityID(.pushQueue, "queue")])
  }

  @Test("what says how a callback is to go names nobody", arguments: ["voice", "callback-voice", "customhttp", "Kim"])
  func nobody(subject: String) throws {
    #expect(try Self.story().positions(of: subject).positions.isEmpty)
  }

  private static let mark = "SECRET-OF-ALICE"

  @Test("what a customer brought is gone from files, states and answers; the callback ends, others stay")
  func redaction() async throws {
    let rig = try await CallbackRig(options: ["_wait_for_user_confirm": "true"])
    let fields = ["_customer_number": Self.mark, "subject": "about \(Self.mark)"]
    let alice = try await rig.order(fields, user: "alice@example.org", device: "device-alice")
    try await rig.ready("Kim")
    let over = try await rig.order(fields, user: "alice@example.org")
    _ = try await rig.callbacks.cancel(over, note: "because of \(Self.mark)")
    let bob = try await rig.order(["_customer_number": "5550000"], user: "bob")
    try await rig.engine.snapshotNow()
    let directory = rig.rig.directory
    #expect(try Self.places(of: Self.mark, in: directory) > 0)

    let report = try await rig.engine.redactions.redact(subject: Self.mark, by: "operator", reason: "Art. 17 GDPR")
    #expect(report.entities >= 3)
    try await rig.settle()
    #expect(try await rig.status(alice) == "COMPLETED CANCELLED")
    for id in [alice, over] {
      let view = try await rig.callbacks.view(id)
      #expect(view.request.fields.isEmpty && view.request.userKey.isEmpty && view.note.isEmpty)
    }
    #expect(
      try await rig.callbacks.find(
        CallbackQuery(service: nil, conditions: [.init(name: "_customer_number", value: Self.mark)])
      ).elements.isEmpty)
    #expect(try await rig.status(bob) == "ROUTING Kim")
    for text in [Self.mark, "alice@example.org", "device-alice"] {
      #expect(try Self.places(of: text, in: directory) == 0)
    }

    let states = try await rig.engine.capturedStates()
    let again = try await rig.restarted(options: ["_wait_for_user_confirm": "true"])
    #expect(try await again.engine.capturedStates() == states)
    try await again.stop()
  }

  @Test("a plan of a version without callbacks is still read")
  func oldPlan() throws {
    let plan = try ErasureScope(json: #"{"chats":["1-mia"]}"#)
    #expect(plan.keys(of: .chatSession) == ["1-mia"] && plan.keys(of: .callback).isEmpty && plan.entityCount == 1)
  }

  /// Files of the data directory that hold `text`, and records that do.
  private static func places(of text: String, in directory: FilePath) throws -> Int {
    var count = 0
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      if String(decoding: record.payload, as: UTF8.self).contains(text) { count += 1 }
    }
    let files = FileManager.default.enumerator(atPath: directory.string)
    while let name = files?.nextObject() as? String {
      guard let data = FileManager.default.contents(atPath: directory.appending(name).string) else { continue }
      if data.range(of: Data(text.utf8)) != nil { count += 1 }
    }
    return count
  }
}
