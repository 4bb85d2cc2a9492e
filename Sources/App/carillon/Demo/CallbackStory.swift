import Bayeux
import CarillonClient
import JSONEnvelope

/// A callback from its order to the end of its chat, with a kill between the customer's yes and the chat. Spec: GMS 9.
///
/// Each scene checks what it shows; the first thing that is not as it must be ends the story.
final class CallbackStory: Sendable {
  private static let service = "callback-chat"
  private static let agentName = "agent-k"
  private static let deviceID = "device-88"

  /// What the server is configured for.
  static let services = """
    service.\(service):
      _media_type: chat
      _wait_for_agent: true
      _wait_for_user_confirm: true
    """

  private let stage: DemoStage
  private var screen: DemoScreen { stage.screen }

  init(_ stage: DemoStage) { self.stage = stage }

  func play() async throws {
    screen.title("Carillon demo: a callback that survives the kill")
    let token = try await stage.raiseCurtain(for: Self.agentName)
    let agent = AgentClient(stage.server.address, token: token)
    let app = CallbackApp(stage.server.address, screen)
    defer {
      agent.shutDown()
      app.shutDown()
    }
    let id = try await order(app)
    let invitation = try await confirm(id, app, agent)
    try await dieInBetween(id, invitation, app, agent)
    try await talk(id, invitation, app, agent)
    try await lookBack(id)
    screen.title("All \(screen.checkCount) checks passed in \(screen.elapsed).")
  }

  // MARK: Scenes

  private func order(_ app: CallbackApp) async throws -> String {
    screen.title("1. Nora orders a callback: a chat, as soon as an agent is there")
    screen.says(.app, "orders it; her device for pushes is \(Self.deviceID)")
    let dialog = try await app.order(
      Self.service,
      [
        "_customer_number": "+4930555010", "subject": "Order 81", "_device_os": "customhttp",
        "_device_notification_id": .string(Self.deviceID),
      ])
    guard let id = dialog["_id"]?.string, dialog["_action"]?.string == "ConfirmationDialog",
      dialog["_text"]?.string == "We will notify you when agent is available"
    else { throw DemoFailure("the order was not answered with the dialog to wait") }
    screen.check("the app may go: \"We will notify you when agent is available\"")
    let place = try await app.act("check-queue-position", on: id)
    guard place["_position"]?.string == "1", place["_total_waiting"]?.string == "1" else {
      throw DemoFailure("Nora is not the first in the queue")
    }
    guard stage.receiver.received.all.isEmpty else { throw DemoFailure("a push came before its time") }
    screen.check("she is the first in the queue; no push yet")
    return id
  }

  /// - Returns: the dialog that says how to begin the chat.
  private func confirm(_ id: String, _ app: CallbackApp, _ agent: AgentClient) async throws -> JSONValue {
    screen.title("2. An agent is ready, Nora is asked, Nora says yes")
    try await agent.setReady(true)
    screen.says(.agent, "says: ready")
    let push = try await stage.receiver.received.first("the push that asks Nora") { _ in true }
    screen.says(.push, "a push arrives")
    screen.wire("←", push.body)
    let message: JSONValue = ["_id": .string(id), "_action": "get-dialog-user-confirmation-provide_code-false"]
    guard push.json == ["deviceId": .string(Self.deviceID), "message": message] else {
      throw DemoFailure("the push was \(String(decoding: push.body, as: UTF8.self))")
    }
    screen.check("pushed to \(Self.deviceID): which callback, and which dialog to fetch")
    screen.says(.app, "fetches the dialog")
    let menu = try await app.follow(message)
    let items = menu["_content"]?.array?.first?["_group_content"]?.array ?? []
    guard menu["_action"]?.string == "DisplayMenu", items.count == 3 else { throw DemoFailure("that is no menu") }
    screen.check(items.compactMap { $0["_label"]?.string }.map { "\"\($0)\"" }.joined(separator: ", "))
    screen.says(.app, "Nora taps the first")
    let invitation = try await app.follow(url: items[0]["_user_action_url"]?.string)
    guard invitation["_action"]?.string == "StartChat", invitation["_user_header"]?.string?.isEmpty == false,
      invitation["_chat_parameters"] == ["subject": "Order 81"]
    else { throw DemoFailure("the yes was not answered with the dialog to start the chat") }
    guard try await agent.callbacks(.own).map(\.id) == [id] else { throw DemoFailure("it is not the agent's") }
    let taken = try await agent.report(.accepted, of: id)
    guard taken.state == "ROUTING", taken.isAccepted else { throw DemoFailure("the agent could not accept") }
    screen.says(.agent, "gets the offer and accepts")
    screen.check("the callback is ROUTING, its agent \(Self.agentName)")
    return invitation
  }

  private func dieInBetween(
    _ id: String, _ invitation: JSONValue, _ app: CallbackApp, _ agent: AgentClient
  ) async throws {
    screen.title("3. The server is killed before the chat begins")
    try await stage.server.killNow()
    screen.kill("SIGKILL: no goodbye, no last write")
    let time = try await stage.server.start()
    screen.says(.server, "started again on the same directory, ready after \(DemoScreen.seconds(time))")
    let found = try await agent.callback(id)
    guard found.state == "ROUTING", found.agentID == Self.agentName, found.isAccepted else {
      throw DemoFailure("after the kill the callback is \(found.state) with \(found.agentID ?? "nobody")")
    }
    screen.check("still ROUTING, still that agent's: the yes was on the disk before Nora had her answer")
    screen.says(.app, "Nora taps again: the answer may have been lost on its way")
    guard try await app.act("connect", on: id) == invitation else { throw DemoFailure("the second yes differs") }
    try await Task.sleep(for: DemoLimits.silence)
    guard stage.receiver.received.all.count == 1 else { throw DemoFailure("Nora was asked again") }
    screen.check("the same answer, and no second question on her phone")
  }

  private func talk(
    _ id: String, _ invitation: JSONValue, _ app: CallbackApp, _ agent: AgentClient
  ) async throws {
    screen.title("4. The chat")
    let address = stage.server.address
    guard invitation["_start_chat_url"]?.string == "\(address)/genesys/1/service/\(id)/ixn/chat",
      invitation["_comet_url"]?.string == "\(address)/genesys/cometd", let key = invitation["_user_header"]?.string
    else { throw DemoFailure("the dialog leads elsewhere") }
    let nora = DemoCustomer(address, userKey: key, transport: .longPolling, instance: id)
    do {
      try await nora.chat.start(ChatParameters(displayName: "Nora"))
      screen.says(
        .app, "starts the chat at the URL, over the Comet endpoint and with the gms_user that the dialog named")
      guard let chatID = try await agent.callback(id).chatID else { throw DemoFailure("the callback has no chat") }
      try await agent.join(chatID, nickname: "Agent K")
      try await agent.send("Hello, this is Agent K. It is about order 81?", to: chatID)
      _ = try await nora.hears("Hello, this is Agent K. It is about order 81?")
      try await nora.chat.send("Yes. It has not come.")
      _ = try await nora.hears("Yes. It has not come.")
      screen.says(.agent, "joins and greets; they talk")
      try await wait(for: "PROCESSING", of: id, agent)
      screen.check("the callback is PROCESSING since the agent has joined")
      try await agent.close(chatID)
      _ = try await nora.messages.first("the end of the chat") { $0.state == .disconnected }
      try nora.checkOrder()
    } catch {
      await nora.chat.abandon()
      throw error
    }
    let end = try await wait(for: "COMPLETED", of: id, agent)
    guard end.reason == "AGENT_CONNECTED" else {
      throw DemoFailure("the callback ended with \(end.reason ?? "no reason")")
    }
    screen.check(
      "the agent closes the chat: COMPLETED, AGENT_CONNECTED; Nora saw \(nora.events.all.count) events, each once")
    guard try await app.status(of: "connect", on: id) == 404 else { throw DemoFailure("the old push still works") }
    guard stage.receiver.received.all.count == 1 else { throw DemoFailure("a push came that nobody needed") }
    screen.check("the push on her phone leads nowhere any more (404); one push in all")
  }

  /// The callback follows its chat a moment later.
  @discardableResult
  private func wait(for state: String, of id: String, _ agent: AgentClient) async throws -> AgentCallback {
    let deadline = ContinuousClock.now + DemoLimits.eventTimeout
    while true {
      let callback = try await agent.callback(id)
      if callback.state == state { return callback }
      guard ContinuousClock.now < deadline else {
        throw DemoFailure("the callback is \(callback.state), not \(state)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func lookBack(_ id: String) async throws {
    screen.title("5. What the journal says")
    try await stage.server.stop()
    screen.says(.server, "stopped by SIGTERM")
    screen.says(.server, "carillon journal timeline --subject \(id)")
    let story = try await stage.server.timeline(of: id).split(separator: "\n")
    for line in story { screen.note("  \(line)") }
    // Long ids are cut there.
    for part in ["callback \(id.prefix(8))", "push ", "chat \(id.prefix(8))"]
    where !story.contains(where: { $0.contains(part) }) {
      throw DemoFailure("the timeline tells nothing of \(part)")
    }
    screen.check("the whole story: the callback, its push, its chat, and the start after the kill")
    let verdict = try await stage.server.verifyJournal()
    screen.says(.server, "carillon journal verify")
    for line in verdict.split(separator: "\n") { screen.note("                  \(line)") }
    screen.check("the journal is whole")
  }
}
