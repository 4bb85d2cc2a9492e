import ChatDomain
import Engine
import JSONEnvelope
import PushDomain
import ScriptedClients
import Testing

@testable import EngineRigs

@Suite("A restart of the engine", .timeLimit(.minutes(1)))
struct RestartTests {
  @Test("a client goes on with its old clientId, and gets what it had not been written")
  func cometSession() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let service = try await before.startChat(user: "u1")
    let client = ScriptedClient(before, user: "u1")
    _ = try await client.comeOnline()
    _ = try await before.engine.chats.send(service, text: "seen", by: .house)
    _ = try await client.connect()
    _ = try await before.engine.chats.send(service, text: "not seen", by: .house)
    await before.stop()

    let after = try await EngineRig(directory: directory)
    let same = ScriptedClient(after, user: "u1", clientID: client.clientID)
    let reply = try await same.connect()
    let event = try #require(Notification(reply[0]))
    #expect(event.lines == [["Message.Text", "not seen"]])
    #expect(reply.last?["successful"]?.bool == true)
    let poll = try same.poll()
    _ = try await after.engine.chats.send(service, text: "new", by: .house)
    #expect(Notification(try await poll.reply()[0])?.lines == [["Message.Text", "new"]])
    await after.stop()
  }

  @Test("chats, agents and their readiness are as they were")
  func state() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let service = try await before.startChat(user: "u1")
    let chat = try await before.chatID(service)
    _ = try await before.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .supervisor)
    _ = try await before.engine.agents.send(chat, agentID: "k", text: "Hello")
    try await before.engine.agents.setReady(AgentViewer(id: "k"), true)
    let summary = try await before.engine.agents.summary(chat, for: .overseer)
    let transcript = try await before.engine.agents.transcript(chat, after: 0, for: .overseer)
    await before.stop()

    let after = try await EngineRig(directory: directory)
    #expect(try await after.engine.agents.summary(chat, for: .overseer) == summary)
    #expect(try await after.engine.agents.transcript(chat, after: 0, for: .overseer) == transcript)
    #expect(await after.engine.agents.isReady("k"))
    let own = try await after.engine.agents.list(AgentListQuery(.own), for: AgentViewer(id: "k"))
    #expect(own.elements.map(\.chatID) == [chat])
    await after.stop()
  }

  @Test("a push that was under way is delivered again, one that was delivered is not")
  func pushes() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let service = try await before.startChat(user: "u1", pushTo: "device")
    let client = ScriptedClient(before, user: "u1")
    _ = try await client.comeOnline()
    _ = try await client.disconnect(position: 1)
    let chat = try await before.chatID(service)
    _ = try await before.engine.agents.join(chat, agentID: "k", nickname: "K", role: .agent)
    _ = try await before.courier.next()
    // Wait until the success is recorded: the queue is idle again once the next push goes out.
    before.courier.fallSilent()
    _ = try await before.engine.agents.send(chat, agentID: "k", text: "second")
    _ = try await before.courier.next()
    await before.engine.stop(grace: .zero)

    let after = try await EngineRig(directory: directory)
    let push = try await after.courier.next()
    #expect(push["lastTranscript"] == .array([.object(["Message.Text": "second"])]))
    _ = try await after.engine.agents.send(chat, agentID: "k", text: "third")
    #expect(try await after.courier.next()["lastTranscript"] == .array([.object(["Message.Text": "third"])]))
    #expect(after.courier.deliveries.count == 2)
    await after.stop()
  }

  @Test("the delay timer of a background phase survives, and fires once")
  func delayTimer() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let sections = ["service.request-chat": ["_client_timeout_notification": "1"]]
    let before = try await EngineRig(directory: directory, sections: sections)
    let service = try await before.startChat(user: "u1", pushTo: "device")
    let client = ScriptedClient(before, user: "u1")
    _ = try await client.comeOnline()
    _ = try await client.disconnect(position: 1)
    let chat = try await before.chatID(service)
    _ = try await before.engine.agents.join(chat, agentID: "k", nickname: "K", role: .agent)
    _ = try await before.engine.agents.send(chat, agentID: "k", text: "One moment")
    await before.stop()
    #expect(before.courier.deliveries.isEmpty)

    let after = try await EngineRig(directory: directory, sections: sections)
    let push = try await after.courier.next()
    #expect(push["lastTranscript"]?.array?.count == 2)
    await after.stop()
    #expect(after.courier.deliveries.count == 1)
  }

  @Test("requests that overtake the end of their session leave a journal that starts again")
  func overtaking() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    _ = try await before.startChat(user: "u1")
    for _ in 0..<40 {
      let client = ScriptedClient(before, user: "u1")
      try await client.handshake()
      // Two requests of one client, side by side: whichever is first, nothing may follow the session's end.
      let subscribe = try client.send(
        #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys"},{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling"}]"#
      )
      let disconnect = try client.send(#"[{"channel":"/meta/disconnect","clientId":"$ID"}]"#)
      #expect(try await !subscribe.reply().isEmpty)
      #expect(try await !disconnect.reply().isEmpty)
    }
    await before.stop()
    let after = try await EngineRig(directory: directory)
    #expect(after.engine.isReady)
    await after.stop()
  }

  @Test("before recovery and after the drain every operation is unavailable")
  func unavailable() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    #expect(rig.engine.isReady)
    await rig.engine.drain()
    #expect(!rig.engine.isReady)
    await rig.stop()
    await #expect(throws: EngineError.unavailable) {
      try await rig.engine.chats.create(service: "request-chat", data: [])
    }
  }
}
