import Bayeux
import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import PushDomain
import ScriptedClients
import SupportDomain
import SystemPackage
import Testing

@testable import CometEngine
@testable import Engine
@testable import EngineRigs

@Suite("Support requests in redactions", .timeLimit(.minutes(1)))
struct SupportRedactionTests {
  private static let mark = "SECRET-OF-MIA"
  private static let email = "mia@example.org"

  /// Somebody with a device and two requests: with a file, with a push that failed for good, and with one that waits.
  private struct Customer {
    let token: String
    let actor: SupportActor
    let requests: [Int64]
    let file: String
  }

  private static func mia(_ rig: SupportRig, _ agent: SupportActor) async throws -> Customer {
    let token = try await rig.support.signIn(anonymous: "guid-mia", name: mark, email: email, app: SupportRig.app)
    let actor = try #require(rig.support.endUser(bearing: token))
    try await rig.register("device-mia", type: "android", by: actor)
    let file = try await rig.support.upload(
      Array(mark.utf8), fileName: "\(mark).png", contentType: "image/png", by: actor)
    var order = SupportRequestOrder()
    (order.subject, order.comment.body, order.comment.uploads) = ("About \(mark)", "I am \(mark)", [file.token])
    order.metadata = Array(#"{"phone":"\#(mark)"}"#.utf8)
    let first = try await rig.support.create(order, by: actor).number
    rig.provider.answer { _ in .refused(reason: "400") }
    try await rig.comment("Dear \(mark)", on: first, by: agent)
    let second = try await rig.request(by: actor, "Again \(mark)")
    rig.provider.answer { _ in .retryable(reason: "503") }
    try await rig.comment("Dear \(mark), wait", on: second, by: agent)
    return Customer(token: token, actor: actor, requests: [first, second], file: file.token)
  }

  @Test("what a user brought is gone from files, states and answers; numbers stay taken, others go on")
  func redaction() async throws {
    let rig = try await SupportRig()
    let agent = try await rig.agent()
    let mia = try await Self.mia(rig, agent)
    let otto = try await rig.user("guid-otto")
    try await rig.register("device-otto", by: otto)
    let others = try await rig.request(by: otto, "Otto's own")
    try await rig.engine.snapshotNow()
    let directory = rig.rig.directory
    #expect(try Self.places(of: Self.mark, in: directory) > 0)
    #expect(try Self.blobs(in: directory) == 1)

    let posts = rig.provider.deliveries.count
    let report = try await rig.engine.redactions.redact(subject: Self.email, by: "operator", reason: "Art. 17 GDPR")
    #expect(report.entities >= 4)
    try await rig.settle()
    for text in [Self.mark, Self.email, "device-mia", "guid-mia"] {
      #expect(try Self.places(of: text, in: directory) == 0)
    }
    #expect(try Self.blobs(in: directory) == 0)
    #expect(rig.support.endUser(bearing: mia.token) == nil)
    for number in mia.requests {
      await #expect(throws: SupportFailure.notFound) { try await rig.support.request(number, for: agent) }
    }
    await #expect(throws: SupportFailure.notFound) { try await rig.support.attachment(mia.file) }
    #expect(try await rig.support.devices(of: mia.actor.number).isEmpty)
    #expect(try await rig.support.request(others, for: agent).commentCount == 1)
    #expect(try await rig.support.requests(SupportQuery(), for: agent).count == 1)
    // What was to be tried again is not.
    rig.provider.answer { _ in .delivered() }
    try await rig.advance(by: .seconds(86_400))
    #expect(rig.provider.deliveries.count == posts)

    let states = try await rig.engine.capturedStates()
    let again = try await rig.restarted()
    #expect(try await again.engine.capturedStates() == states)
    // The same person comes back as somebody new, and no number is given out twice.
    let back = try await again.user("guid-mia")
    #expect(back.number > otto.number)
    let fresh = try await again.request(by: back)
    #expect(fresh > others)
    try await again.comment("Still there?", on: others, by: try await again.agent())
    #expect(again.devicesPosted.last == ["device-otto"])
    try await again.stop()
  }

  @Test("a device's own pushes go from its queue as well, where our own couriers push")
  func direct() async throws {
    let rig = try await SupportRig(options: ["integration": "direct"])
    let agent = try await rig.agent()
    let mia = try await rig.user("guid-mia")
    try await rig.register("abcd", by: mia)
    let number = try await rig.request(by: mia)
    rig.provider.answer { _ in .retryable(reason: "503") }
    try await rig.comment("Dear \(Self.mark)", on: number, by: agent)
    #expect(rig.provider.deliveries.count == 1)
    _ = try await rig.engine.redactions.redact(subject: "abcd", by: "operator", reason: "")
    try await rig.settle()
    #expect(try Self.places(of: Self.mark, in: rig.rig.directory) == 0)
    #expect(try Self.places(of: "abcd", in: rig.rig.directory) == 0)
    rig.provider.answer { _ in .delivered() }
    try await rig.advance(by: .seconds(86_400))
    #expect(rig.provider.deliveries.count == 1)
    try await rig.stop()
  }

  @Test("a request that is made while the journal is searched goes as well, with its files")
  func madeMeanwhile() async throws {
    let rig = try await SupportRig()
    let agent = try await rig.agent()
    let mia = try await Self.mia(rig, agent)
    // As if it had been planned before: the plan knows of the first request alone.
    var scope = try ErasureScope(
      json: #"{"supportUsers":["\#(mia.actor.number)"],"supportRequests":["\#(mia.requests[0])"]}"#)
    for host in rig.engine.partitions.hosts { try await host.erase(.people, scope) }
    for host in rig.engine.partitions.hosts { await host.add(to: &scope) }
    #expect(scope.keys(of: .supportRequest) == Set(mia.requests.map(String.init)))
    #expect(scope.allProducers == Set(mia.requests.map { "request/\($0)" }))
    #expect(scope.keys(of: .stored) == [mia.file])
    try await rig.stop()
  }

  @Test("the user's streams end")
  func streams() async throws {
    let rig = try await SupportRig()
    let mia = try await Self.mia(rig, try await rig.agent())
    let key = ReservedUserKey.of(mia.actor.number)
    let comet = rig.engine.comet
    let clientID = try await Self.handshake(rig, bearing: mia.token)
    #expect(comet.directory.sessions(userKey: key).count == 1)
    _ = try await rig.engine.redactions.redact(subject: "user:\(mia.actor.number)", by: "operator", reason: "")
    try await rig.settle()
    #expect(comet.directory.sessions(userKey: key).isEmpty)
    #expect(comet.directory.session(evenDeparting: clientID) == nil)
    #expect(try Self.places(of: key, in: rig.rig.directory) == 0)
    try await rig.stop()
  }

  @Test("an agents' stream that comes back is told nothing of it any more")
  func feed() async throws {
    let rig = try await SupportRig()
    let agent = try await rig.agent()
    var events = rig.engine.agents.events(after: nil, for: .overseer).makeAsyncIterator()
    let others = try await rig.request(by: try await rig.user("guid-otto"))
    try await rig.settle()
    let first = try #require(await events.next())
    _ = try await Self.mia(rig, agent)
    _ = try await rig.engine.redactions.redact(subject: Self.email, by: "operator", reason: "")
    try await rig.comment("The last one", on: others, by: agent)
    var told: [AgentEvent] = []
    for await event in rig.engine.agents.events(after: first.number - 1, for: .overseer) {
      told.append(event)
      if case .other(let news as SupportRequestNews) = event.kind, case .commented = news.change { break }
    }
    #expect(told.map(\.serviceID) == ["request/\(others)", "request/\(others)"])
    try await rig.stop()
  }

  @Test("a chat that was turned into a request goes with its request, and the contact it was written for")
  func chat() async throws {
    let rig = try await SupportRig()
    let agent = try await rig.agent()
    let service = try await rig.rig.rig.startChat(user: "user-mia")
    let chatID = try await rig.rig.rig.chatID(service)
    let view = try await rig.support.create(fromChat: chatID, subject: Self.mark, comment: nil, by: agent)
    _ = try await rig.engine.redactions.redact(subject: "user-mia", by: "operator", reason: "")
    try await rig.settle()
    await #expect(throws: SupportFailure.notFound) { try await rig.support.request(view.number, for: agent) }
    #expect(await rig.support.users([view.terms.requester], for: .agent).isEmpty)
    #expect(try Self.places(of: Self.mark, in: rig.rig.directory) == 0)
    #expect(try Self.places(of: "user-mia", in: rig.rig.directory) == 0)
    try await rig.stop()
  }

  @Test("erasing twice finds nothing the second time, and changes nothing")
  func twice() async throws {
    let rig = try await SupportRig()
    let mia = try await Self.mia(rig, try await rig.agent())
    _ = try await rig.engine.redactions.redact(subject: Self.email, by: "operator", reason: "")
    try await rig.settle()
    await #expect(throws: RedactionError.nothingFound) {
      try await rig.engine.redactions.redact(subject: Self.email, by: "operator", reason: "")
    }
    // By its number it can be asked for, and stays what it is.
    _ = try await rig.engine.redactions.redact(subject: "user:\(mia.actor.number)", by: "operator", reason: "")
    try await rig.settle()
    let states = try await rig.engine.capturedStates()
    let again = try await rig.restarted()
    #expect(try await again.engine.capturedStates() == states)
    let other = try await again.user("guid-new")
    #expect(other.number > mia.actor.number)
    try await again.stop()
  }

  /// - Returns: the id of a Comet session of whoever this token opens.
  private static func handshake(_ rig: SupportRig, bearing token: String) async throws -> String {
    let sink = ScriptedSink()
    let comet = rig.engine.comet
    let exchange = comet.open(sink, transport: .longPolling, userKey: nil, browserID: nil, accessToken: token)
    sink.attach(exchange, comet)
    let handshake = #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}]"#
    comet.received(try BayeuxDecoder.decode(Array(handshake.utf8)), on: exchange)
    return try #require(try await sink.reply().first?["clientId"]?.string)
  }

  /// Files of the data directory that hold `text`, and records that do.
  private static func places(of text: String, in directory: FilePath) throws -> Int {
    var count = 0
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      if String(decoding: record.payload, as: UTF8.self).contains(text) { count += 1 }
    }
    return try count + files(in: directory).count { $0.range(of: Data(text.utf8)) != nil }
  }

  /// Stored files.
  private static func blobs(in directory: FilePath) throws -> Int {
    try files(in: directory).count { $0 == Data(mark.utf8) }
  }

  private static func files(in directory: FilePath) throws -> [Data] {
    let names = FileManager.default.enumerator(atPath: directory.string)
    return (names?.allObjects ?? []).compactMap { $0 as? String }.compactMap {
      FileManager.default.contents(atPath: directory.appending($0).string)
    }
  }
}
