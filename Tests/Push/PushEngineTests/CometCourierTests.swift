import EntityRuntime
import EventSourcing
import JSONEnvelope
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs
@testable import PushDomain
@testable import PushEngine

@Suite("A push to a user's Comet sessions", .timeLimit(.minutes(1)))
struct CometCourierTests {
  private func push(_ rig: EngineRig, _ number: Int = 1, to user: String = "guest <7> b", seconds: Int64 = 60)
    -> PushMessage
  {
    PushMessage(
      producer: "p", number: number, tag: "orders.shipped", alert: "", content: Array(#"{"order":\#(number)}"#.utf8),
      service: "", target: PushAddress(type: "comet", deviceID: user),
      expiry: rig.engine.partition.context.time.now.advanced(by: .seconds(seconds)))
  }

  private func enqueue(_ message: PushMessage, _ rig: EngineRig) async {
    _ = await rig.engine.couriers.dispatcher.enqueue(message)
  }

  private static func orders(_ reply: [JSONValue]) -> [Int] {
    reply.compactMap { $0["data"]?["message"]?["order"]?.integer }
  }

  private static func isReturn(_ event: PushEvent) -> Bool {
    if case .attemptReturned = event { true } else { false }
  }

  @Test("one who holds a connect gets it at once, in the envelope of the event channel")
  func held() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let client = ScriptedClient(rig, user: "guest <7> b")
    _ = try await client.comeOnline()
    let poll = try client.poll()
    await enqueue(push(rig), rig)
    let event = try await poll.reply()[0]
    #expect(event["channel"]?.string == "/_genesys")
    #expect(event["data"]?["tag"]?.string == "orders.shipped")
    #expect(event["data"]?["id"]?.string?.count == 32)
    #expect(event["data"]?["message"]?["order"]?.integer == 1)
    await rig.stop()
  }

  @Test("each session of the user gets it, nobody else's does")
  func every() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let own = [ScriptedClient(rig, user: "u1"), ScriptedClient(rig, user: "u1")]
    let stranger = ScriptedClient(rig, user: "u2")
    for client in own + [stranger] { _ = try await client.comeOnline() }
    let polls = try own.map { try $0.poll() }
    let strangersPoll = try stranger.poll()
    await enqueue(push(rig, to: "u1"), rig)
    for poll in polls { #expect(try await poll.reply()[0]["data"]?["message"]?["order"]?.integer == 1) }
    #expect(!strangersPoll.isAnswered)
    await rig.stop()
  }

  @Test("whoever is not there gets all of it in order on coming, and no attempt is counted")
  func absent() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    for number in 1...3 { await enqueue(push(rig, number, to: "u1"), rig) }
    let client = ScriptedClient(rig, user: "u1")
    // The pushes may be there before the first connect comes.
    var orders = Self.orders(try await client.comeOnline())
    while orders.count < 3 { orders += Self.orders(try await client.connect()) }
    #expect(orders == [1, 2, 3])
    await rig.stop()
  }

  @Test("it is delivered only when it is in the socket: a session that ends first does not count")
  func lost() async throws {
    let rig = try await DeviceRig()
    // The clock runs as fast as it can: on a busy machine more of it passes than the story needs.
    let message = push(rig.rig, to: "u1", seconds: 30 * 86_400)
    let gone = ScriptedClient(rig.rig, user: "u1")
    _ = try await gone.comeOnline()
    await enqueue(message, rig.rig)
    // The client never asks again: its session ends, and the queue has the push back.
    while try !rig.events(.pushQueue, as: PushEvent.self).contains(where: Self.isReturn) {
      rig.time.advance(by: .milliseconds(500))
      rig.engine.tick()
      await Task.yield()
    }
    let back = ScriptedClient(rig.rig, user: "u1")
    var orders = Self.orders(try await back.comeOnline())
    while orders.isEmpty {
      let poll = try back.poll()
      while !poll.isAnswered {
        rig.time.advance(by: .milliseconds(20))
        rig.engine.tick()
        await Task.yield()
      }
      orders += Self.orders(try await poll.reply())
    }
    #expect(orders == [1])
    try await rig.stop()
  }

  @Test("a stop does not wait for a session that takes nothing, and the next start delivers")
  func stop() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    await enqueue(push(rig, to: "u1"), rig)
    await rig.stop()
    let next = try await EngineRig(directory: directory)
    let back = ScriptedClient(next, user: "u1", clientID: client.clientID)
    var orders: [Int] = []
    while orders.isEmpty { orders += Self.orders(try await back.connect()) }
    #expect(orders == [1])
    await next.stop()
  }
}
