import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Journal
import ScriptedClients
import Synchronization
import Testing

@testable import EngineRigs

@Suite("What an app says it has, and what it is known to have", .timeLimit(.minutes(1)))
struct PositionTests {
  /// A chat whose customer polls and has positions 1 and 2.
  private func talk(
    _ rig: EngineRig, ext: String = "{}"
  ) async throws -> (service: String, chat: String, client: ScriptedClient) {
    let service = try await rig.startChat(user: "u1", pushTo: "device")
    let client = ScriptedClient(rig, user: "u1")
    _ = try await client.comeOnline(ext: ext)
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    let joined = try await client.connect(ext: #"{"ack":1}"#)
    #expect(Notification(joined[0])?.position == "2")
    return (service, chat, client)
  }

  private func say(_ text: String, in chat: String, _ rig: EngineRig) async throws {
    _ = try await rig.engine.agents.send(chat, agentID: "k", text: text)
  }

  /// Waits until the session keeps so many requests.
  private func keeps(_ count: Int, of client: ScriptedClient) async throws {
    let id = try #require(client.clientID)
    while !Task.isCancelled, await client.gateway.exchangeCounts()[id] != count { await Task.yield() }
  }

  @Test("6.6: an app that froze with its poll held is pushed what was written to it, and caught up with it")
  func frozen() async throws {
    let rig = try await EngineRig(
      directory: EngineRig.temporaryDirectory(), maxInterval: 2_000, time: ManualTime(start: .epoch))
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("Are you there?", in: chat, rig)
    // Written, and read by nobody.
    _ = try await poll.reply()
    try await rig.passUntilOffline(chat)
    #expect(try await rig.courier.next()["lastTranscript"]?[0]?["Message.Text"]?.string == "Are you there?")
    let transcript = try await rig.engine.agents.transcript(chat, after: 0, for: .overseer)
    #expect(transcript.lines.filter { $0.position == nil }.map(\.content.text) == ["customer is not online"])
    let back = ScriptedClient(rig, user: "u1")
    let catchUp = try #require(Notification(try await back.comeOnline()[0]))
    #expect(catchUp.lines.map { $0[1] } == ["Are you there?"])
    await rig.stop()
  }

  @Test("B6, B16: a thawed app's word brings the push and the catch-up", arguments: [true, false])
  func thawed(isSessionAlive: Bool) async throws {
    let rig = try await EngineRig(
      directory: EngineRig.temporaryDirectory(), maxInterval: isSessionAlive ? 60_000 : 2_000,
      time: ManualTime(start: .epoch))
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    // The connect that comes by itself confirms; the app has not shown anything of it.
    let next = try client.poll()
    if !isSessionAlive {
      next.leave()
      try await rig.passUntilOffline(chat)
    }
    let goodbye = try await client.disconnect(position: 2)
    #expect(goodbye[0]["successful"]?.bool == isSessionAlive)
    #expect(try await rig.courier.next()["lastTranscript"]?[0]?["Message.Text"]?.string == "One")
    let back = ScriptedClient(rig, user: "u1")
    let catchUp = try #require(Notification(try await back.comeOnline()[0]))
    #expect(catchUp.lines.map { $0[1] } == ["One"])
    await rig.stop()
  }

  @Test("6.1: a connect with a smaller position brings what follows it again, under the same id, and not for ever")
  func connects() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    let first = try await poll.reply()
    for _ in 0..<3 {
      let again = try await client.connect(ext: #"{"transcriptPosition":"2"}"#)
      #expect(again[0] == first[0])
    }
    // Enough of it: the connect is held, and what is new comes.
    let held = try client.poll(ext: #"{"transcriptPosition":"2"}"#)
    try await say("Two", in: chat, rig)
    #expect(Notification(try await held.reply()[0])?.lines.map { $0[1] } == ["Two"])
    // What the app has is not sent again.
    let last = try client.poll(ext: #"{"transcriptPosition":4}"#)
    try await say("Three", in: chat, rig)
    #expect(Notification(try await last.reply()[0])?.lines.map { $0[1] } == ["Three"])
    await rig.stop()
  }

  @Test("6.1: a stated position says nothing of what was written after its request had arrived")
  func crossing() async throws {
    let isHeld = Atomic(false)
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory()) { $0.journal.isStepped = true }
    let pump = Task {
      while !Task.isCancelled {
        if !isHeld.load(ordering: .relaxed), rig.engine.journalNeedsStep { rig.engine.stepJournal() }
        await Task.yield()
      }
    }
    let (_, chat, client) = try await talk(rig)
    // Position 2 is confirmed; what comes now waits for a response.
    _ = try await client.connect(advice: #"{"timeout":0}"#)
    try await say("One", in: chat, rig)
    isHeld.store(true, ordering: .relaxed)
    // Waits for the journal, because of the subscription.
    let waiting = try client.send(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/*","id":"5"},"#
        + #"{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling","id":"6","#
        + #""ext":{"transcriptPosition":"2"},"advice":{"timeout":0}}]"#)
    while !Task.isCancelled, rig.engine.journalNeedsStep == false { await Task.yield() }
    // Meanwhile another response brings what was waiting.
    var brought: [Notification] = []
    while brought.isEmpty {
      brought = try await client.ask(
        #"[{"channel":"/meta/unsubscribe","clientId":"$ID","subscription":"/**","id":"7"}]"#
      ).compactMap(Notification.init)
    }
    #expect(brought.flatMap(\.lines).map { $0[1] } == ["One"])
    isHeld.store(false, ordering: .relaxed)
    #expect(try await waiting.reply().compactMap(Notification.init) == [])
    await rig.stop()
    pump.cancel()
    await pump.value
  }

  @Test("6.1: a handshake with a position is caught up from there while the dead session is in its grace")
  func handshakes() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), maxInterval: 60_000)
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    let held = try client.poll()
    held.leave()
    let back = ScriptedClient(rig, user: "u1")
    let reply = try await back.comeOnline(ext: #"{"transcriptPosition":"2"}"#)
    #expect(Notification(reply[0])?.lines.map { $0[1] } == ["One"])
    await rig.stop()
  }

  @Test("6.2: a killed app that says where it stands is flagged at once, though its session has its time left")
  func killed() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory(), maxInterval: 60_000)
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    let held = try client.poll()
    try await keeps(1, of: client)
    held.leave()
    try await keeps(0, of: client)
    let restarted = ScriptedClient(rig, user: "u1", clientID: "4z1m8k0v2q9x7c5b3n6t1r8w0y")
    _ = try await restarted.disconnect(position: 2)
    #expect(try await rig.courier.next()["lastTranscript"]?[0]?["Message.Text"]?.string == "One")
    #expect(try await !rig.engine.agents.summary(chat, for: .overseer).customerOnline)
    // The session was not dead after all: it goes on where it was.
    try await say("Two", in: chat, rig)
    let back = try await client.connect()
    #expect(back.compactMap(Notification.init).flatMap(\.lines).map { $0[1] } == ["Two"])
    #expect(try await rig.engine.agents.summary(chat, for: .overseer).customerOnline)
    await rig.stop()
  }

  @Test("6.2: a session that holds a connect keeps the flag away")
  func liveSession() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    let held = try client.poll()
    try await keeps(1, of: client)
    let other = ScriptedClient(rig, user: "u1")
    _ = try await other.comeOnline()
    _ = try await other.disconnect(position: 3)
    #expect(try await rig.engine.agents.summary(chat, for: .overseer).customerOnline)
    try await say("Two", in: chat, rig)
    #expect(Notification(try await held.reply()[0])?.lines.map { $0[1] } == ["Two"])
    await rig.stop()
  }

  @Test("6.7: refresh states a position, too: what lies above it is pushed if the app stays away")
  func refresh() async throws {
    let rig = try await EngineRig(
      directory: EngineRig.temporaryDirectory(), maxInterval: 2_000, time: ManualTime(start: .epoch))
    let (service, chat, client) = try await talk(rig)
    let poll = try client.poll()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    try client.poll().leave()
    try await rig.passUntilOffline(chat)
    let reply = try await rig.engine.chats.refresh(service, after: 2, message: nil, by: .house)
    #expect(reply.events.map(\.text) == ["One"])
    #expect(try await rig.courier.next()["lastTranscript"]?[0]?["Message.Text"]?.string == "One")
    await rig.stop()
  }

  @Test("what a connection turns out to have lost comes again, to a client that knows neither positions nor numbers")
  func lostOnTheWay() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let (_, chat, client) = try await talk(rig)
    for text in (0..<30).map({ "text \($0)" }) {
      let poll = try client.poll()
      poll.loseOnTheWay()
      try await say(text, in: chat, rig)
      let lost = try await poll.reply()
      let again = try await client.connect()
      #expect(again[0] == lost[0])
      #expect(Notification(again[0])?.lines.map { $0[1] } == [text])
    }
    await rig.stop()
  }

  @Test("what was lost comes before what waits, also if the client subscribes before it connects")
  func lostBeforeSubscription() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let (_, chat, client) = try await talk(rig)
    let poll = try client.poll()
    poll.loseOnTheWay()
    try await say("One", in: chat, rig)
    _ = try await poll.reply()
    try await say("Two", in: chat, rig)
    var replies = try await client.ask(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"4"}]"#)
    if replies.count == 1 { replies += try await client.connect() }
    #expect(replies.compactMap(Notification.init).flatMap(\.lines).map { $0[1] } == ["One", "Two"])
    await rig.stop()
  }

  @Test("what was lost and is to come again is still owed after a restart")
  func lostBeforeRestart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (_, chat, client) = try await talk(before)
    let poll = try client.poll()
    poll.loseOnTheWay()
    try await say("One", in: chat, before)
    let lost = try await poll.reply()
    let second = try client.poll()
    second.breakDown()
    #expect(try await second.reply()[0] == lost[0])
    await before.stop()

    let after = try await EngineRig(directory: directory)
    let same = ScriptedClient(after, user: "u1", clientID: client.clientID)
    #expect(try await same.connect()[0] == lost[0])
    await after.stop()
  }

  @Test("after a restart what was not written comes under the id that it had")
  func restart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (_, chat, client) = try await talk(before)
    let poll = try client.poll()
    poll.breakDown()
    try await say("One", in: chat, before)
    let lost = try await poll.reply()
    await before.stop()

    let after = try await EngineRig(directory: directory)
    let same = ScriptedClient(after, user: "u1", clientID: client.clientID)
    #expect(try await same.connect()[0] == lost[0])
    await after.stop()
  }

  @Test("what an app will state after a restart is not overtaken by what comes later, also if it subscribes first")
  func statedAfterRestart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (_, chat, client) = try await talk(before)
    let poll = try client.poll()
    try await say("One", in: chat, before)
    // Lost on the way, which nobody but the app can tell.
    _ = try await poll.reply()
    await before.stop()

    let after = try await EngineRig(directory: directory)
    let same = ScriptedClient(after, user: "u1", clientID: client.clientID)
    try await say("Two", in: chat, after)
    let subscribed = try await same.ask(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"4"}]"#)
    #expect(subscribed.count == 1 && subscribed[0]["successful"]?.bool == true)
    let replies = try await same.connect(ext: #"{"transcriptPosition":"2"}"#)
    #expect(replies.compactMap(Notification.init).flatMap(\.lines).map { $0[1] } == ["One", "Two"])
    await after.stop()
  }

  @Test("a restart repeats nothing to a client that acknowledges: its number says what it has")
  func restartWithNumbers() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let (_, chat, client) = try await talk(before, ext: #"{"ack":true}"#)
    try await say("One", in: chat, before)
    let reply = try await client.connect(ext: #"{"ack":16384}"#)
    #expect(reply.count == 2)
    let number = try #require(reply[1]["ext"]?["ack"]?.integer)
    #expect(number == 3 << 13)
    await before.stop()

    let after = try await EngineRig(directory: directory)
    let same = ScriptedClient(after, user: "u1", clientID: client.clientID)
    let first = try await same.connect(ext: #"{"ack":\#(number)}"#)
    #expect(first.count == 1)
    try await say("Two", in: chat, after)
    let next = try await same.connect(ext: #"{"ack":\#(number)}"#)
    #expect(next.compactMap(Notification.init).flatMap(\.lines).map { $0[1] } == ["Two"])
    await after.stop()
  }
}
