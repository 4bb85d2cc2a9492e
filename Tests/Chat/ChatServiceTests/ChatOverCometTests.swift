import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import JSONEnvelope
import PushDomain
import ScriptedClients
import Synchronization
import Testing

@testable import EngineRigs

@Suite("A chat over Comet, from agent to client", .timeLimit(.minutes(1)))
struct ChatOverCometTests {
  @Test("an agent's message answers the held connect, events first")
  func message() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1")
    let client = ScriptedClient(rig, user: "u1")
    let first = try await client.comeOnline()
    #expect(first.count == 1)
    #expect(first[0]["advice"]?["reconnect"]?.string == "retry")
    let poll = try client.poll()
    let chat = try await rig.chatID(service)
    let joined = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    #expect(joined == 2)
    let reply = try await poll.reply()
    #expect(reply.count == 2)
    let event = try #require(Notification(reply[0]))
    #expect(event.position == "2" && event.lines == [["Notice.Joined", "has joined the session"]])
    #expect(reply[0]["channel"]?.string == "/_genesys")
    #expect(reply[0]["data"]?["tag"]?.string == "service.chat.refresh.\(service)")
    #expect(reply[0]["data"]?["id"]?.string?.count == 32)
    #expect(reply[1]["channel"]?.string == "/meta/connect" && reply[1]["successful"]?.bool == true)
    await rig.stop()
  }

  @Test("events between two connects wait in the queue, in order, each once")
  func queue() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    for text in ["one", "two", "three"] { _ = try await rig.engine.agents.send(chat, agentID: "k", text: text) }
    var lines: [[String]] = []
    while lines.count < 4 { lines += try await client.connect().compactMap(Notification.init).flatMap(\.lines) }
    #expect(lines.map { $0[1] } == ["has joined the session", "one", "two", "three"])
    await rig.stop()
  }

  @Test("a subscription made before the chat gets the echo of the join, and the chat's events")
  func subscribedFirst() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let poll = try client.poll()
    let service = try await rig.startChat(user: "u1")
    let echo = try #require(Notification(try await poll.reply()[0]))
    #expect(echo.position == "1" && echo.lines == [["Notice.Joined", "has joined the session"]])
    let next = try client.poll()
    _ = try await rig.engine.chats.send(service, text: "hello", by: .house)
    let event = try #require(Notification(try await next.reply()[0]))
    #expect(event.position == "2" && event.lines == [["Message.Text", "hello"]])
    await rig.stop()
  }

  @Test("nobody gets another user's events; ext.serviceId reaches one chat")
  func isolation() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1")
    let stranger = ScriptedClient(rig, user: "u2")
    _ = try await stranger.comeOnline()
    let strangersPoll = try stranger.poll()
    let owner = ScriptedClient(rig, user: nil)
    _ = try await owner.ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"ext":{"serviceId":"\#(service)"}}]"#
    )
    _ = try await rig.engine.chats.send(service, text: "for my eyes only", by: .house)
    let denied = try await stranger.ask(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys/u1","id":"5"}]"#)
    #expect(denied[0]["error"]?.string == "403::subscribe_denied")
    #expect(!strangersPoll.isAnswered)
    await rig.stop()
  }

  @Test("a connect that does not wait, in the same breath as the subscription is confirmed, carries the catch-up")
  func catchUpAtOnce() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1")
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    let client = ScriptedClient(rig, user: "u1")
    try await client.handshake()
    #expect(try await client.connect().count == 1)
    let connect = Mutex<ScriptedSink?>(nil)
    _ = try await client.send(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"4"}]"#,
      whenAnswered: {
        let sink = try? client.send(
          #"[{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling","advice":{"timeout":0}}]"#)
        connect.withLock { $0 = sink }
      }
    ).reply()
    let reply = try await #require(connect.withLock { $0 }).reply()
    let catchUp = try #require(reply.first.flatMap(Notification.init))
    #expect(catchUp.position == "2" && reply.count == 2)
    await rig.stop()
  }

  @Test("whoever leaves a held poll leaves nothing behind, whatever was under way", arguments: [0, 1, 2])
  func departures(_ depth: Int) async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    _ = try await rig.startChat(user: "u1")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    weak var gone: ScriptedSink?
    weak var exchange: CometExchange?
    do {
      let sink =
        switch depth {
        case 0: try client.poll()
        // Worked through in a task of its own, which meets a client that has left.
        case 1:
          try client.send(
            #"[{"channel":"/meta/unsubscribe","clientId":"$ID","subscription":"/_genesys"},"#
              + #"{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling"}]"#)
        default: try client.send(#"[{"channel":"/meta/disconnect","clientId":"$ID"}]"#)
        }
      (gone, exchange) = (sink, sink.exchange)
      sink.leave()
    }
    while gone != nil || exchange != nil { try await Task.sleep(for: .milliseconds(1)) }
    await rig.stop()
  }

  @Test("a batch above the bound is refused message by message")
  func batchTooLarge() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let subscriptions = (1...65).map {
      #"{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"m\#($0)"}"#
    }
    let replies = try await client.ask("[" + subscriptions.joined(separator: ",") + "]")
    #expect(replies.map { $0["id"]?.string } == (1...65).map { "m\($0)" })
    #expect(replies.allSatisfy { $0["error"]?.string == "413:64:batch_too_large" && $0["successful"]?.bool == false })
    #expect(replies.allSatisfy { $0["subscription"]?.string == "/_genesys" })
    await rig.stop()
  }

  @Test("background: the push carries what was missed, and the return catches up in one notification")
  func background() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1", pushTo: "device-77")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    _ = try await client.connect()
    let goodbye = try await client.disconnect(position: 2)
    #expect(goodbye[0]["successful"]?.bool == true)
    _ = try await rig.engine.agents.typing(chat, agentID: "k", started: true)
    _ = try await rig.engine.agents.send(chat, agentID: "k", text: "One moment")
    let push = try await rig.courier.next()
    #expect(push["message"]?.string == "New message from Agent")
    #expect(push["serviceId"]?.string == service)
    #expect(push["lastTranscript"] == .array([.object(["Message.Text": "One moment"])]))
    let transcript = try await rig.engine.agents.transcript(chat, after: 0, for: .overseer)
    let notices = transcript.lines.filter { $0.position == nil }
    #expect(notices.map(\.content.text) == ["customer is not online"])

    let back = ScriptedClient(rig, user: "u1")
    let reply = try await back.comeOnline()
    #expect(reply.count == 2)
    let catchUp = try #require(Notification(reply[0]))
    #expect(catchUp.position == "4")
    #expect(catchUp.lines == [["Notice.TypingStarted", "is typing"], ["Message.Text", "One moment"]])
    await rig.stop()
  }

  @Test("an unknown clientId gets 402 with the advice to shake hands; its disconnect still says where the user stands")
  func unknownClient() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1", pushTo: "d")
    let lost = ScriptedClient(rig, user: "u1", clientID: "4z1m8k0v2q9x7c5b3n6t1r8w0y")
    let reply = try await lost.connect()
    #expect(reply[0]["error"]?.string == "402::Unknown client")
    #expect(reply[0]["advice"] == .object(["reconnect": "handshake", "interval": 0]))
    let goodbye = try await lost.disconnect(position: 1)
    #expect(goodbye[0]["error"]?.string == "402::Unknown client")
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "K", role: .agent)
    #expect(try await rig.courier.next()["lastTranscript"]?[0]?["Notice.Joined"] != nil)
    await rig.stop()
  }

  @Test("a session that expires without a word counts as background")
  func silentLoss() async throws {
    let rig = try await EngineRig(
      directory: EngineRig.temporaryDirectory(), maxInterval: 1_500, time: ManualTime(start: .epoch))
    let service = try await rig.startChat(user: "u1", pushTo: "d")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let poll = try client.poll()
    poll.leave()
    let chat = try await rig.chatID(service)
    try await rig.passUntilOffline(chat)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "K", role: .agent)
    _ = try await rig.engine.agents.send(chat, agentID: "k", text: "Hello?")
    #expect(try await rig.courier.next()["lastTranscript"] != nil)
    #expect(try await client.connect()[0]["error"]?.string == "402::Unknown client")
    let back = ScriptedClient(rig, user: "u1")
    let catchUp = try #require(Notification(try await back.comeOnline()[0]))
    #expect(catchUp.lines.map { $0[1] } == ["has joined the session", "Hello?"])
    await rig.stop()
  }

  @Test("what could not be written comes again with the next connect")
  func failedWrite() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let service = try await rig.startChat(user: "u1")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline()
    let poll = try client.poll()
    poll.breakDown()
    _ = try await rig.engine.chats.send(service, text: "hello", by: .house)
    _ = try await poll.reply()
    let event = try #require(Notification(try await client.connect()[0]))
    #expect(event.lines == [["Message.Text", "hello"]])
    await rig.stop()
  }
}
