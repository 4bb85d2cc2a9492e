import Bayeux
import CometEngine
import JSONEnvelope
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs

/// A chat sends a session what happens in it without waiting for an answer, and may have to send it again.
@Suite("A Comet session that is sent something twice", .timeLimit(.minutes(1)))
struct RepeatedDeliveryTests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// What was written to the client, and what still waits for its connect.
    var written: [Int] = []
    var waiting: [Int] = []
    let comes: Int
    var isCatchUp = false
    let isTaken: Bool

    var testDescription: String {
      "\(written) written, \(waiting) waiting, \(isCatchUp ? "a catch-up to" : "then") \(comes)"
    }
  }

  private static let rows = [
    Row(comes: 1, isTaken: true), Row(comes: 1, isCatchUp: true, isTaken: true),
    Row(written: [1, 2], comes: 3, isTaken: true), Row(written: [1, 2], comes: 2, isTaken: false),
    Row(written: [1, 2], comes: 1, isTaken: false), Row(waiting: [1, 2], comes: 3, isTaken: true),
    Row(waiting: [1, 2], comes: 2, isTaken: false), Row(waiting: [1, 2], comes: 1, isTaken: false),
    Row(written: [1], waiting: [2], comes: 1, isTaken: false), Row(written: [1], waiting: [2], comes: 3, isTaken: true),
    // The app says that it has not got it: the chat knows best. But it need not come twice for that.
    Row(written: [1, 2], comes: 2, isCatchUp: true, isTaken: true),
    Row(waiting: [1, 2], comes: 2, isCatchUp: true, isTaken: false),
    Row(waiting: [1, 2], comes: 3, isCatchUp: true, isTaken: true),
  ]

  @Test("drops what of a chat it has or has delivered", arguments: rows)
  func twice(row: Row) async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    let client = ScriptedClient(rig, user: "anna")
    _ = try await client.comeOnline()
    let session = try #require(client.clientID.flatMap { rig.engine.comet.directory[$0] })
    for position in row.written { await session.deliver(Self.message(position)) }
    #expect(try await received(client, of: "chat") == row.written)
    while !Task.isCancelled, await session.delivered(of: "chat") < row.written.last ?? 0 { await Task.yield() }
    for position in row.waiting { await session.deliver(Self.message(position)) }
    await session.deliver(Self.message(row.comes), isCatchUp: row.isCatchUp)
    // Another chat's is another message, and what is no chat's is known by other means.
    await session.deliver(Self.message(1, of: "other"))
    for _ in 1...2 { await session.deliver(Self.message(1, of: "push", isOfTranscript: false)) }
    let replies = try await client.connect(advice: #"{"timeout":0}"#)
    #expect(Self.positions(replies, of: "chat") == row.waiting + (row.isTaken ? [row.comes] : []))
    #expect(Self.positions(replies, of: "other") == [1])
    #expect(Self.positions(replies, of: "push") == [1, 1])
    await rig.stop()
  }

  @Test("knows what it has delivered after a restart")
  func restart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let client = ScriptedClient(rig, user: "anna")
    _ = try await client.comeOnline()
    let clientID = try #require(client.clientID)
    let session = try #require(rig.engine.comet.directory[clientID])
    for position in 1...2 { await session.deliver(Self.message(position)) }
    #expect(try await received(client, of: "chat") == [1, 2])
    while !Task.isCancelled, await session.delivered(of: "chat") < 2 { await Task.yield() }
    await rig.stop()

    let next = try await EngineRig(directory: directory)
    let restored = try #require(next.engine.comet.directory[clientID])
    for position in 1...3 { await restored.deliver(Self.message(position)) }
    #expect(try await received(ScriptedClient(next, user: "anna", clientID: clientID), of: "chat") == [3])
    await next.stop()
  }

  private func received(_ client: ScriptedClient, of source: String) async throws -> [Int] {
    Self.positions(try await client.connect(advice: #"{"timeout":0}"#), of: source)
  }

  private static func positions(_ replies: [JSONValue], of source: String) -> [Int] {
    replies.compactMap { $0["data"]?[source]?.string.flatMap { Int($0) } }
  }

  private static func message(_ position: Int, of source: String = "chat", isOfTranscript: Bool = true) -> QueuedMessage
  {
    QueuedMessage(
      bytes: Array(#"{"channel":"/_genesys","data":{"\#(source)":"\#(position)"}}"#.utf8),
      mark: DeliveryMark(source: source, position: position, isOfTranscript: isOfTranscript))
  }
}
