import ChatDomain
import Engine
import EventSourcing
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import PushDomain
import ScriptedClients
import SystemPackage
import Testing

@testable import EngineRigs

@Suite("Redaction", .timeLimit(.minutes(1)))
struct RedactionTests {
  private static let mark = "SECRET-OF-ALICE"

  /// Alice's chats are full of marks; Bob's are not.
  private func populate(_ rig: EngineRig) async throws -> (alice: String, bob: String) {
    let alice = try await chat(rig, user: "alice@example.org", text: Self.mark)
    let bob = try await chat(rig, user: "bob", text: "ordinary")
    return (alice, bob)
  }

  private func chat(_ rig: EngineRig, user: String, text: String) async throws -> String {
    let service = try await rig.engine.chats.create(service: "request-chat", data: [NameValuePair("Address", text)])
    _ = try await rig.engine.chats.start(
      service,
      ChatStartRequest(
        userKey: user, notifiesByComet: true, nickname: "\(text) the customer", subject: text, firstMessage: text,
        pushTarget: PushTarget(type: "test", deviceID: "device of \(text)"), data: [NameValuePair("EmailAddress", user)]
      ))
    let client = ScriptedClient(rig, user: user)
    _ = try await client.comeOnline()
    let chatID = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chatID, agentID: "k", nickname: "Agent K", role: .agent)
    _ = try await rig.engine.chats.send(service, text: "my number is \(text)", by: .house)
    _ = try await client.disconnect(position: 3)
    _ = try await rig.engine.agents.send(chatID, agentID: "k", text: "thank you, \(text)")
    _ = try await rig.courier.next()
    return service
  }

  private func found(_ text: String, in directory: FilePath) throws -> [String] {
    var places: [String] = []
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      let payload = String(decoding: record.payload, as: UTF8.self)
      if payload.contains(text) || record.keyText.contains(text) { places.append("record \(record.position)") }
    }
    let store = SnapshotStore(directory: directory.appending("journal"))
    for file in try store.all() {
      try store.open(file).forEachState { entry, state in
        if String(decoding: entry.brief + state, as: UTF8.self).contains(text) {
          places.append("snapshot: \(entry.key)")
        }
      }
    }
    let files = FileManager.default.enumerator(atPath: directory.string)
    while let name = files?.nextObject() as? String {
      guard let data = FileManager.default.contents(atPath: directory.appending(name).string) else { continue }
      if data.range(of: Data(text.utf8)) != nil { places.append(name) }
    }
    return places
  }

  @Test("everything of one customer is gone from files and answers; positions, the chain and others stay")
  func everything() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let (alice, bob) = try await populate(rig)
    try await rig.engine.snapshotNow()
    _ = await rig.engine.putIdleToSleep(unusedFor: 0)
    let before = try await rig.engine.chats.refresh(alice, after: 0, message: nil, by: .house)
    #expect(try found(Self.mark, in: directory).contains { $0.hasPrefix("snapshot") })
    let head = try JournalReader(directory: directory.appending("journal")).verify()

    let report = try await rig.engine.redactions.redact(
      subject: "alice@example.org", by: "operator", reason: "Art. 17 GDPR")
    #expect(report.records > 10)
    #expect(report.by == "operator")
    #expect(try found(Self.mark, in: directory) == [])
    #expect(try found("alice@example.org", in: directory) == [])

    let after = try await rig.engine.chats.refresh(alice, after: 0, message: nil, by: .house)
    #expect(after.position == before.position)
    #expect(after.events.map(\.type) == before.events.map(\.type))
    #expect(after.events.filter { $0.type == .messageText }.allSatisfy { $0.text == "[erased]" })
    let chatID = after.chatSessionID
    let transcript = try await rig.engine.agents.transcript(chatID, after: 0, for: .overseer)
    #expect(!"\(transcript)".contains(Self.mark))
    #expect(!"\(try await rig.engine.agents.summary(chatID, for: .overseer))".contains(Self.mark))
    #expect(
      try await rig.engine.chats.refresh(bob, after: 0, message: nil, by: .house).events.contains {
        $0.text == "ordinary"
      })
    // The chat goes on, for agents: whose it was nobody can show any more.
    await #expect(throws: EngineError.chat(.unknownService)) {
      try await rig.engine.chats.send(alice, text: "hello again", by: .customer(userKey: "alice@example.org"))
    }
    #expect(try await rig.engine.chats.send(alice, text: "hello again", by: .house).position == before.position + 1)

    let states = try await rig.engine.capturedStates()
    await rig.stop()
    let verified = try JournalReader(directory: directory.appending("journal")).verify()
    #expect(verified.redactedRecords == UInt64(report.records))
    #expect(verified.records > head.records)

    // By the snapshot, and by full replay over the gaps.
    for round in 0..<2 {
      let again = try await EngineRig(directory: directory)
      #expect(try await again.engine.capturedStates() == states)
      #expect(await again.engine.redactions.done() == [report])
      await again.stop()
      if round == 0 { try FileManager.default.removeItem(atPath: directory.appending("journal/snapshots").string) }
    }
    let third = try await EngineRig(directory: directory)
    await #expect(throws: RedactionError.nothingFound) {
      try await third.engine.redactions.redact(subject: "nobody", by: "operator", reason: "")
    }
    await third.stop()
  }
}
