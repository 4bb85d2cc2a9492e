import Bayeux
import CarillonClient
import Synchronization

/// One background phase, as the wire behaviour's example plays it, with a kill in its middle. Spec: GMS 13.
///
/// Each scene checks what it shows; the first thing that is not as it must be ends the story.
final class DemoStory: Sendable {
  private static let deviceID = "device-77"

  /// What the server is configured for.
  static let services = """
    service.request-chat:
      _client_timeout_notification: \(DemoLimits.pushDelaySeconds)
    """

  let stage: DemoStage
  var screen: DemoScreen { stage.screen }
  let agentEvents = DemoInbox<AgentEventMessage>()
  private let showsWire = Mutex(false)

  init(_ stage: DemoStage) { self.stage = stage }

  func play() async throws {
    screen.title("Carillon demo: a chat that survives the background and the kill")
    let token = try await stage.raiseCurtain(for: "agent-k")
    let agent = AgentClient(stage.server.address, token: token)
    let listening = Task { for await event in agent.events() { agentEvents.put(event) } }
    defer {
      listening.cancel()
      agent.shutDown()
    }
    let address = stage.server.address
    let mia = DemoCustomer(address, userKey: DemoCustomer.randomKey(), transport: .longPolling) { [self] in show($0) }
    let otto = DemoCustomer(address, userKey: DemoCustomer.randomKey(), transport: .webSocket)
    do {
      try await meet(mia, otto, agent)
      try await leave(mia, agent)
      try await dieInBetween(mia, otto, agent)
      try await comeBack(mia, agent)
      try await part(mia, otto, agent)
    } catch {
      await mia.chat.abandon()
      await otto.chat.abandon()
      throw error
    }
    screen.title("All \(screen.checkCount) checks passed in \(screen.elapsed).")
  }

  // MARK: Scenes

  private func meet(_ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("1. Two customers start a chat, an agent joins")
    try await mia.chat.start(
      ChatParameters(
        displayName: "Mia", subject: "Order 81", push: .init(type: "customhttp", deviceID: Self.deviceID)))
    screen.says(.app, "Mia starts a chat over long polling; her device for pushes is \(Self.deviceID)")
    try await otto.chat.start(ChatParameters(displayName: "Otto", subject: "Invoice"))
    screen.says(.otto, "Otto starts one over WebSocket; he will stay connected all the time")
    let (miaID, ottoID) = (try await mia.chatID(), try await otto.chatID())
    // Whether the stream or the list tells first is a matter of milliseconds.
    let waiting = try await agent.chats(.waiting).map(\.chatID)
    guard Set([miaID, ottoID]).isSubset(of: waiting) else { throw DemoFailure("the agent does not see both chats") }
    screen.check("the agent sees both chats waiting")
    try await agent.join(miaID, nickname: "Agent K")
    try await agent.join(ottoID, nickname: "Agent K")
    try await agent.send("Hello, this is Agent K", to: miaID)
    try await mia.chat.send("Where is my order?")
    screen.says(.agent, "joins both and greets Mia; Mia asks where her order is")
    let question = try await mia.hears("Where is my order?")
    guard question.position == 4 else { throw DemoFailure("Mia is at position \(question.position), not 4") }
    try mia.checkOrder()
    screen.check("Mia has events 1 to 4, each once and in order")
  }

  private func leave(_ mia: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("2. Mia's app goes to the background")
    let chatID = try await mia.chatID()
    showsWire.withLock { $0 = true }
    screen.says(.app, "says /meta/disconnect with the position it has")
    try await mia.chat.enterBackground()
    showsWire.withLock { $0 = false }
    let notice = try await agentEvents.first("the agent's notice") { event in
      guard event.chatID == chatID, case .line(let line) = event.kind else { return false }
      return line.type == "Notice.Custom" && line.text == "customer is not online"
    }
    guard case .line(let line) = notice.kind, line.isAgentOnly else {
      throw DemoFailure("the notice to the agent took a position of the customer's transcript")
    }
    screen.check("the agent is told \"customer is not online\"; the notice takes no position")

    try check(try await agent.typing(true, in: chatID), isEvent: 5)
    screen.says(.agent, "types: event 5, filtered, no timer")
    try check(try await agent.send("One moment", to: chatID), isEvent: 6)
    screen.says(.agent, "\"One moment\": event 6, the timer of \(DemoLimits.pushDelaySeconds) s starts")
    try check(try await agent.send("Found it", to: chatID), isEvent: 7)
    screen.says(.agent, "\"Found it\": event 7, remembered")
    guard stage.receiver.received.all.isEmpty else { throw DemoFailure("a push came before its time") }
    screen.check("no push yet")
  }

  private func dieInBetween(_ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("3. The server is killed while the timer runs")
    let ottoSession = await otto.chat.clientID
    try await Task.sleep(for: DemoLimits.killDelay)
    try await stage.server.killNow()
    screen.kill("SIGKILL: no goodbye, no last write")
    guard stage.receiver.received.all.isEmpty else { throw DemoFailure("a push came before its time") }
    let time = try await stage.server.start()
    screen.says(.server, "started again on the same directory, ready after \(DemoScreen.seconds(time))")

    let push = try await stage.receiver.received.first(
      "the push that was owed", within: .seconds(DemoLimits.pushDelaySeconds) + DemoLimits.eventTimeout
    ) { _ in true }
    screen.says(.push, "a push arrives, when it was due")
    screen.wire("←", push.body)
    try push.check(instance: try await mia.serviceID(), device: Self.deviceID, lines: ["One moment", "Found it"])
    screen.check("one push for both messages: the timer outlived the kill")

    let chatID = try await mia.chatID()
    try check(try await agent.send("Order 81 left", to: chatID), isEvent: 8)
    screen.says(.agent, "\"Order 81 left\": event 8")
    let second = try await stage.receiver.received.first("the second push") { $0.body != push.body }
    screen.says(.push, "another one")
    screen.wire("←", second.body)
    try second.check(instance: try await mia.serviceID(), device: Self.deviceID, lines: ["Order 81 left"])
    screen.check("pushed at once: the first push of this phase is out")

    try await agent.send("Your invoice is on its way, Otto", to: try await otto.chatID())
    _ = try await otto.hears("Your invoice is on its way, Otto")
    try otto.checkOrder()
    guard await otto.chat.clientID == ottoSession, await otto.chat.handshakeCount == 1 else {
      throw DemoFailure("Otto had to shake hands again")
    }
    screen.check("Otto never noticed: the same clientId, one handshake, nothing lost")
  }

  private func comeBack(_ mia: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("4. Mia's app returns")
    showsWire.withLock { $0 = true }
    screen.says(.app, "shakes hands, subscribes, connects")
    await mia.chat.returnToForeground()
    _ = try await mia.hears("Order 81 left")
    showsWire.withLock { $0 = false }
    let expected = [
      "5 Notice.TypingStarted is typing", "6 Message.Text One moment", "7 Message.Text Found it",
      "8 Message.Text Order 81 left",
    ]
    let missed = mia.events.all.filter { $0.position > 4 }.map { "\($0.position) \($0.type) \($0.text)" }
    guard missed == expected else { throw DemoFailure("the catch-up was \(missed)") }
    guard mia.messages.all.contains(where: { $0.position == 8 && $0.events.count == 4 }) else {
      throw DemoFailure("the catch-up did not come in one notification")
    }
    screen.check("one notification brought events 5 to 8, nothing missing, nothing twice")
    try await Task.sleep(for: DemoLimits.silence)
    guard stage.receiver.received.all.count == 2 else {
      throw DemoFailure("\(stage.receiver.received.all.count) pushes came, not 2")
    }
    screen.check("two pushes in all, none for what Mia reads herself")
  }

  private func part(_ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("5. The end, and what the journal says")
    let chatID = try await mia.chatID()
    try await mia.chat.send("Thank you!")
    _ = try await mia.hears("Thank you!")
    let transcript = try await agent.transcript(chatID)
    guard transcript.last?.text == "Thank you!" else { throw DemoFailure("the agent misses Mia's thanks") }
    try await agent.close(chatID)
    let end = try await mia.messages.first("the end of the chat") { $0.state == .disconnected }
    guard end.events.last?.type == "Notice.Left" else { throw DemoFailure("the chat ended without Notice.Left") }
    try mia.checkOrder()
    screen.check("Mia says thanks, the agent closes, Mia sees it: \(mia.events.all.count) events, each once")
    try await otto.chat.disconnect()
    try await stage.server.stop()
    screen.says(.server, "stopped by SIGTERM")
    let verdict = try await stage.server.verifyJournal()
    screen.says(.server, "carillon journal verify")
    for line in verdict.split(separator: "\n") { screen.note("                  \(line)") }
    screen.check("the journal is whole")
  }

  // MARK: Checks

  private func check(_ position: Int?, isEvent expected: Int) throws {
    guard position == expected else {
      throw DemoFailure("the agent's event is number \(position.map(String.init) ?? "none"), not \(expected)")
    }
  }

  private func show(_ trace: WireTrace) {
    guard showsWire.withLock({ $0 }) else { return }
    screen.wire(trace.direction == .sent ? "→" : "←", trace.body)
  }
}
