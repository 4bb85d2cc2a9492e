import Bayeux
import CarillonClient
import NIOHTTP1

/// One background phase, as `DemoStory` plays it, with the machine lost between the agent's message and the push; a
/// standby on a second machine takes over, and the first one follows it in the end.
///
/// Two processes on loopback stand for the machines, each with its own directory. Each scene checks what it shows; the
/// first thing that is not as it must be ends the story.
final class StandbyStory: Sendable {
  private static let deviceID = "device-99"
  private static let agentName = "agent-k"
  private static let operatorName = "operator"
  /// What the two machines are called as standbys.
  private static let (first, second) = ("first", "second")
  /// Where the first machine's data is while the machine is lost.
  private static let lostData = "data-of-the-lost-machine"
  /// So long that nothing is written between the standby's word and the kill; so often that a push service that is away
  /// costs no push, however busy this machine is.
  private static let retrySchedule = Array(repeating: "2", count: 15).joined(separator: ",")

  /// What the servers are configured for.
  static let services = """
    service.request-chat:
      _client_timeout_notification: 1
    """

  private let stage: DemoStage
  /// The second machine.
  private let other: DemoServer
  /// The secret of the standbys' token: both machines have it.
  private let tokenFile: String
  private var screen: DemoScreen { stage.screen }

  init(_ stage: DemoStage) throws {
    self.stage = stage
    tokenFile = "\(stage.directory.path)/standby.token"
    other = try DemoServer(
      directory: try stage.directory.makeFolder(Self.second),
      pushURL: "http://127.0.0.1:\(stage.receiver.port)/push", services: Self.services)
    for server in [stage.server, other] { try server.configure(retrySchedule: Self.retrySchedule) }
  }

  func play() async throws {
    screen.title("Carillon demo: a chat that survives the loss of its machine")
    do {
      try await playScenes()
    } catch {
      let log = other.logTail
      if !log.isEmpty { screen.note("the second machine's log ends with:\n\(log)") }
      await other.end()
      throw error
    }
    await other.end()
  }

  private func playScenes() async throws {
    let server = stage.server
    let token = try await server.makeToken(name: Self.agentName)
    let operatorToken = try await server.makeToken(name: Self.operatorName, role: "admin")
    let agent = AgentClient(server.address, alternatives: [other.address], token: token)
    defer { agent.shutDown() }
    let mia = customer(.longPolling)
    let otto = customer(.webSocket)
    do {
      try await setUp(operatorToken)
      try await meet(mia, otto, agent)
      let owed = try await write(mia, agent, operatorToken)
      try await loseMachine()
      try await takeOver(owed, mia, otto, agent)
      try await comeBack(mia, agent)
      try await rejoin(operatorToken)
      try await part(mia, otto, agent, operatorToken)
    } catch {
      await mia.chat.abandon()
      await otto.chat.abandon()
      throw error
    }
    try await compare()
    screen.title("All \(screen.checkCount) checks passed in \(screen.elapsed).")
  }

  private func customer(_ transport: ConnectionType) -> DemoCustomer {
    DemoCustomer(
      stage.server.address, alternatives: [other.address], userKey: DemoCustomer.randomKey(), transport: transport)
  }

  // MARK: Scenes

  private func setUp(_ operatorToken: String) async throws {
    screen.title("1. A server, and its standby on a second machine")
    screen.says(.push, "a push receiver listens on http://127.0.0.1:\(stage.receiver.port)/push")
    try await stage.startServer()
    try await stage.server.makeStandbyToken(name: Self.second, file: tokenFile)
    try other.follow(stage.server, name: Self.second, tokenFile: tokenFile)
    screen.says(.standby, "carillon standby --from \(stage.server.address), data in \(other.directory)/data")
    let position = try await stage.server.caughtUp(standby: Self.second, token: operatorToken)
    screen.check("it follows, and has all \(position) records")
  }

  private func meet(_ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("2. Two customers start a chat, an agent joins")
    screen.says(.app, "knows two addresses: \(stage.server.address) and \(other.address)")
    try await mia.chat.start(
      ChatParameters(displayName: "Mia", subject: "Order 81", push: .init(type: "customhttp", deviceID: Self.deviceID)))
    screen.says(.app, "Mia starts a chat over long polling; her device for pushes is \(Self.deviceID)")
    try await otto.chat.start(ChatParameters(displayName: "Otto", subject: "Invoice"))
    screen.says(.otto, "Otto starts one over WebSocket; he will stay connected all the time")
    for customer in [mia, otto] { try await agent.join(try await customer.chatID(), nickname: "Agent K") }
    try await agent.send("Hello, this is Agent K", to: try await mia.chatID())
    try await mia.chat.send("Where is my order?")
    _ = try await mia.hears("Where is my order?")
    try mia.checkOrder()
    screen.says(.agent, "joins both and greets Mia; Mia asks where her order is")
    screen.check("Mia has events 1 to \(mia.events.all.count), each once and in order")
  }

  /// - Returns: the push as it was refused.
  private func write(
    _ mia: DemoCustomer, _ agent: AgentClient, _ operatorToken: String
  ) async throws -> DemoPushReceiver.Push {
    screen.title("3. Mia's app goes to the background, and the agent writes")
    stage.receiver.answer(with: .serviceUnavailable)
    screen.says(.push, "is down for a moment: 503")
    try await mia.chat.enterBackground()
    screen.says(.app, "says /meta/disconnect with the position it has")
    try await agent.send("Order 81 left", to: try await mia.chatID())
    screen.says(.agent, "\"Order 81 left\"")
    let owed = try await stage.receiver.received.first("the attempt of the push") { _ in true }
    guard owed.status == 503 else { throw DemoFailure("the push service was not down") }
    screen.check("the push is tried, and refused: the server owes it")
    let position = try await stage.server.caughtUp(standby: Self.second, token: operatorToken)
    screen.check("the standby has it too, with all \(position) records on its disk")
    return owed
  }

  private func loseMachine() async throws {
    screen.title("4. The first machine is lost")
    try await stage.server.killNow()
    try stage.directory.move("data", to: Self.lostData)
    screen.kill("SIGKILL, and nobody can reach its disk")
    guard !stage.receiver.received.all.contains(where: { $0.status == 200 }) else {
      throw DemoFailure("the push came before the machine was lost")
    }
    stage.receiver.answer(with: .ok)
    try await other.stop()
    screen.says(.standby, "its follower is stopped")
    for line in try await other.promote().split(separator: "\n") { screen.note("                  \(line)") }
    screen.says(.standby, "carillon promote: it takes over")
    let time = try await other.start()
    screen.says(.server, "listens on \(other.address), data in \(other.directory)/data")
    screen.check("ready after \(DemoScreen.seconds(time))")
  }

  private func takeOver(
    _ owed: DemoPushReceiver.Push, _ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient
  ) async throws {
    screen.title("5. The push that was owed, and a customer who was there all the time")
    let push = try await stage.receiver.received.first("the push that was owed") { $0.status == 200 }
    screen.says(.push, "a push arrives")
    screen.wire("←", push.body)
    try push.check(instance: try await mia.serviceID(), device: Self.deviceID, lines: ["Order 81 left"])
    guard push.id == owed.id else { throw DemoFailure("the push came under another webhook-id") }
    screen.check("the push of the lost machine, under the id that it had there")

    let session = await otto.chat.clientID
    try await agent.send("Your invoice is on its way, Otto", to: try await otto.chatID())
    screen.says(.agent, "\"Your invoice is on its way, Otto\", at the second address")
    _ = try await otto.hears("Your invoice is on its way, Otto")
    try await otto.chat.send("Thank you, K")
    _ = try await otto.hears("Thank you, K")
    try otto.checkOrder()
    guard session != nil, await otto.chat.clientID == session, await otto.chat.handshakeCount == 1 else {
      throw DemoFailure("Otto had to shake hands again")
    }
    screen.check("Otto's app came back at the second address: the same clientId, no 402, no gap, nothing twice")
  }

  private func comeBack(_ mia: DemoCustomer, _ agent: AgentClient) async throws {
    screen.title("6. Mia's app returns")
    let before = mia.events.all.count
    screen.says(.app, "shakes hands, subscribes, connects: at the second address, as nobody is at the first")
    await mia.chat.returnToForeground()
    _ = try await mia.hears("Order 81 left")
    let missed = mia.events.all.dropFirst(before).map { "\($0.position) \($0.text)" }
    guard missed == ["\(before + 1) Order 81 left"] else { throw DemoFailure("the catch-up was \(missed)") }
    try await Task.sleep(for: DemoLimits.silence)
    guard stage.receiver.received.all.filter({ $0.status == 200 }).count == 1 else {
      throw DemoFailure("the push came again")
    }
    screen.check("event \(before + 1), which she missed; one push in all")
  }

  private func rejoin(_ operatorToken: String) async throws {
    screen.title("7. The first machine comes back, as the standby")
    try stage.directory.move(Self.lostData, to: "data")
    screen.says(.standby, "carillon journal rejoin --from \(other.address)")
    let finding = try await stage.server.rejoin(other, tokenFile: tokenFile)
    for line in finding.split(separator: "\n") { screen.note("                  \(line)") }
    let refused = try await stage.server.refusesToServe()
    screen.says(.standby, "carillon serve, by mistake")
    screen.note("                  \(refused.line)")
    guard refused.status == ExitStatus.followsAnother.rawValue else {
      throw DemoFailure("the former server ended with \(refused.status)")
    }
    screen.check("refused with \(refused.status): there is one server")
    try stage.server.follow(other, name: Self.first, tokenFile: tokenFile)
    let position = try await other.caughtUp(standby: Self.first, token: operatorToken)
    screen.says(.standby, "carillon standby --from \(other.address)")
    screen.check("it follows, and has all \(position) records")
  }

  private func part(
    _ mia: DemoCustomer, _ otto: DemoCustomer, _ agent: AgentClient, _ operatorToken: String
  ) async throws {
    screen.title("8. The end, and what the journals say")
    try await mia.chat.send("Thank you!")
    _ = try await mia.hears("Thank you!")
    try await agent.close(try await mia.chatID())
    _ = try await mia.messages.first("the end of the chat") { $0.state == .disconnected }
    try mia.checkOrder()
    screen.check("Mia says thanks, the agent closes, Mia sees it: \(mia.events.all.count) events, each once")
    try await otto.chat.disconnect()
    _ = try await other.caughtUp(standby: Self.first, token: operatorToken)
    // What it has still to write goes over the stream before that ends.
    try await other.stop()
    try await stage.server.hasReadAll()
    try await stage.server.stop()
    screen.says(.server, "both stopped by SIGTERM")
  }

  private func compare() async throws {
    var heads: [Substring] = []
    for (name, server) in [("server", other), ("standby", stage.server)] {
      let verdict = try await server.verifyJournal().split(separator: "\n")
      screen.says(.server, "carillon journal verify, of the \(name)")
      for line in verdict { screen.note("                  \(line)") }
      heads += verdict.filter { $0.hasPrefix("head hash") }
    }
    guard heads.count == 2, heads[0] == heads[1] else { throw DemoFailure("the two journals differ") }
    screen.check("the journal is whole, and the same on both machines")
  }
}
