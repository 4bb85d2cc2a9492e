import EntityRuntime
import EventSourcing
import Foundation
import GCMProtocol
import Journal
import JournalFormat
import PushDomain
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import MessagingEngine

@Suite("Redaction of devices that keep a connection", .timeLimit(.minutes(1)))
struct MessagingRedactionTests {
  private static let sender = "1234567890"
  private static let secret = "SECRET-OF-ALICE"

  private struct Device {
    let credentials: InstallationCredentials
    let token: String
    var key: String { String(credentials.id.androidID) }
  }

  /// Alice's and Bob's devices in one group and one topic, each with a message that waits and one that it has sent.
  private func device(_ rig: EngineRig, text: String) async throws -> Device {
    let credentials = try await rig.engine.installations.checkIn(nil)
    let token = try await rig.engine.installations.register(
      RegistrationForm(app: "org.example", senders: [Self.sender], platform: "ANDROID"), credentials)
    let device = Device(credentials: credentials, token: token)
    try await rig.engine.installations.subscribe(token, to: "news", on: true, credentials)
    try await send(rig, to: .recipient(token), text)
    let upstream = UpstreamMessage(
      id: "1", category: "org.example", pairs: [MailPair("text", text)], timeToLive: 3_600)
    #expect(await rig.engine.messaging.send(upstream, to: Self.sender, from: credentials.id) == .accepted)
    return device
  }

  @discardableResult
  private func send(_ rig: EngineRig, to target: DownstreamTarget, _ text: String) async throws -> DownstreamAnswer {
    var request = DownstreamRequest(target: target)
    request.data = [MailPair("text", text)]
    return try await rig.engine.messaging.send(request, sender: Self.sender)
  }

  /// Where these bytes stand in any record, state or file.
  private func places(of text: String, in directory: FilePath) throws -> [String] {
    var places: [String] = []
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      guard record.kind != EntityKind.broadcast.rawValue else { return }
      let payload = String(decoding: record.payload, as: UTF8.self)
      if payload.contains(text) || record.keyText.contains(text) {
        places.append("record \(record.position) of \(record.keyText)")
      }
    }
    return places
  }

  /// What is left of a device is its key, stated anew.
  private func isEmpty(_ key: String, in directory: FilePath) throws -> Bool {
    var isEmpty = true
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      guard !record.isRedacted, record.keyText.hasSuffix(key) else { return }
      let restates =
        record.kind == EntityKind.installation.rawValue
        ? InstallationEvent.isRestatement(record.tag) : PushEvent.isRestatement(record.tag)
      if !restates { isEmpty = false }
    }
    return isEmpty
  }

  @Test(
    "everything of the device goes, by its android id or its token, and others keep theirs", arguments: [true, false])
  func everything(byToken: Bool) async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let alice = try await device(rig, text: Self.secret)
    let bob = try await device(rig, text: "ordinary")
    let key = try await rig.engine.messaging.createGroup("home", tokens: [alice.token, bob.token], sender: Self.sender)
    try await send(rig, to: .recipient(key), "to both")
    try await rig.engine.snapshotNow()
    let link = RecordingLink()
    try await rig.engine.deviceGateway.logIn(alice.credentials, received: [], link: link)
    rig.engine.deviceGateway.drain(alice.credentials.id, link: link)

    let report = try await rig.engine.redactions.redact(
      subject: byToken ? alice.token : alice.key, by: "operator", reason: "Art. 17 GDPR")
    #expect(report.entities == 4, "the device, its queue, the sender's queue and the group")
    #expect(link.closings == [.revoked])
    for text in [Self.secret, alice.token, "\(alice.key)/"] {
      #expect(try places(of: text, in: directory) == [], "\(text.prefix(20))")
    }
    #expect(try isEmpty(alice.key, in: directory))

    // Nobody can log in or be sent to as that device, and Bob's is as it was.
    await #expect(throws: InstallationFailure.unauthenticated) {
      try await rig.engine.installations.checkIn(alice.credentials)
    }
    let answer = try await send(rig, to: .recipient(alice.token), "more")
    #expect(answer == .targets([.failed(.invalidRegistration)]))
    guard case .group(success: 1, failed: []) = try await send(rig, to: .recipient(key), "again") else {
      Issue.record("the group has one member left")
      return
    }
    try await checkBob(rig, bob)
    await rig.stop()
    let again = try await EngineRig(directory: directory)
    try await checkBob(again, bob)
    await again.stop()
  }

  private func checkBob(_ rig: EngineRig, _ bob: Device) async throws {
    let queue = try #require(rig.engine.queues[MailboxKey.device(bob.credentials.id)])
    #expect(try await queue.read { $0.mail.pending.count } == 3)
    let sender = try #require(rig.engine.queues[MailboxKey.sender(Self.sender)])
    #expect(try await sender.read { $0.mail.pending.map(\.origin) } == [bob.token])
  }

  @Test("a token that was never given out finds nobody")
  func foreignToken() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    let alice = try await device(rig, text: "x")
    var forged = Array(alice.token.utf8)
    forged[forged.count - 3] = forged[forged.count - 3] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    await #expect(throws: RedactionError.nothingFound) {
      try await rig.engine.redactions.redact(
        subject: String(decoding: forged, as: UTF8.self), by: "operator", reason: "")
    }
    await rig.stop()
  }

  @Test("a plan of a version that knew of no such devices is read")
  func olderPlan() throws {
    let scope = try ErasureScope(
      json: #"{"chats":["1-a"],"sessions":[],"queues":["q"],"ownQueues":[],"producers":[]}"#)
    #expect(scope.keys(of: .chatSession) == ["1-a"] && scope.keys(of: .pushQueue) == ["q"])
    #expect(scope.keys(of: .installation).isEmpty && scope.keys(of: .deviceGroup).isEmpty)
  }

  @Test("the timeline of a device tells of its queue and of what it has sent, not of another's")
  func timeline() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let alice = try await device(rig, text: "a")
    let bob = try await device(rig, text: "b")
    await rig.stop()
    let scope = EntityScope(EntityID(.installation, alice.key), in: .carillon)
    var keys: [String] = []
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      if scope.belongs(record) { keys.append(record.keyText) }
    }
    #expect(Set(keys) == [alice.key, "gcm-\(alice.key)", "ccs-\(Self.sender)"])
    #expect(keys.count { $0.hasPrefix("ccs-") } == 1 && !keys.contains(bob.key))
  }
}

private final class RecordingLink: MailLink {
  private let closed = Mutex<[MailLinkClosing]>([])
  var closings: [MailLinkClosing] { closed.withLock { $0 } }
  func deliver(_ mail: Mail) {}
  func close(_ reason: MailLinkClosing) { closed.withLock { $0.append(reason) } }
}
