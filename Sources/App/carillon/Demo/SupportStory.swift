import CarillonClient
import JSONEnvelope
import NIOHTTP1

/// A support request and its answers, from the agent to the customer's own back end, with a kill in between. Spec:
/// support requests 1, 11.
///
/// Each scene checks what it shows; the first thing that is not as it must be ends the story.
final class SupportStory: Sendable {
  private static let app = "demo-shop"
  private static let agentName = "agent-k"
  /// What the SDK has made on Ann's phone.
  private static let guid = "5b0f4c1e-8a57-4a0e-9c55-2f1f6f0a7d31"
  /// As an app prints its token that has not read the documentation, and as everybody else does.
  private static let spelledToken = "<9F1C07AB 55D0E3AA>"
  private static let phone = "9f1c07ab55d0e3aa"
  private static let tablet = "Tablet:fcm-token_1"

  /// What the server is configured for.
  static func configuration(receiverURL: String) -> String {
    """
    support.app.\(app):
      integration: webhook
      webhook_url: \(receiverURL)
      test: true
    support.agents:
      \(agentName): Agent K
    """
  }

  private let stage: DemoStage
  private var screen: DemoScreen { stage.screen }

  init(_ stage: DemoStage) { self.stage = stage }

  func play() async throws {
    screen.title("Carillon demo: a support request whose answers arrive")
    let (agent, admin) = try await raiseCurtain()
    let ann = SupportClient(SupportConfiguration(server: stage.server.address, app: Self.app))
    defer {
      agent.shutDown()
      admin.shutDown()
    }
    let request = try await ask(ann)
    try await answer(request, ann, agent)
    try await dieInBetween(request, agent)
    try await lookOn(request, ann, agent)
    try await leave(request, agent, admin)
    await ann.shutDown()
    try await lookBack(request)
    screen.title("All \(screen.checkCount) checks passed in \(screen.elapsed).")
  }

  // MARK: Scenes

  /// - Returns: the agent, and whoever may remove devices.
  private func raiseCurtain() async throws -> (AgentClient, AgentClient) {
    let server = stage.server
    let (agent, admin) = (
      try await server.makeToken(name: Self.agentName), try await server.makeToken(name: "back-end", role: "admin")
    )
    screen.says(.backend, "the customer's own back end listens on http://127.0.0.1:\(stage.receiver.port)/push")
    try await stage.startServer()
    return (AgentClient(server.address, token: agent), AgentClient(server.address, token: admin))
  }

  private func ask(_ ann: SupportClient) async throws -> Int64 {
    screen.title("1. Ann registers her devices and asks for help")
    try await ann.signIn(guid: Self.guid, name: "Ann", email: "ann@example.com")
    screen.says(.app, "signs in as an anonymous user")
    screen.says(.app, "registers her phone as \(Self.spelledToken), and her tablet")
    for token in [Self.spelledToken, Self.phone] {
      let registered = try await ann.registerDevice(token, type: .ios, locale: "en-us")
      guard registered == Self.phone else { throw DemoFailure("the phone was registered as \(registered)") }
    }
    try await ann.registerDevice(Self.tablet, type: .android, locale: "de")
    screen.check("both spellings are one device: \(Self.phone)")
    let request = try await ann.create(subject: "Order 81", text: "Where is my order?")
    screen.says(.app, "\"Where is my order?\"")
    guard request.status == "new", try await ann.requests().map(\.id) == [request.id] else {
      throw DemoFailure("the request is not in Ann's list")
    }
    screen.check("request \(request.id) is new, and Ann's only one")
    return request.id
  }

  private func answer(_ request: Int64, _ ann: SupportClient, _ agent: AgentClient) async throws {
    screen.title("2. The agent answers: publicly, and in a note for the team")
    let answered = try await agent.comment("Order 81 left today.", onTicket: request)
    guard answered.status == "open" else { throw DemoFailure("the request is \(answered.status), not open") }
    screen.says(.agent, "\"Order 81 left today.\"")
    let call = try await call("Order 81 left today.")
    screen.says(.backend, "gets a POST, application/json, webhook-id \(call.id.prefix(12))…")
    screen.note("                  ← \(String(decoding: call.body, as: UTF8.self))")
    guard call.headers.first(name: "content-type") == "application/json",
      call.headers.first(name: "accept") == "application/json", !call.id.isEmpty
    else { throw DemoFailure("the POST had the header fields \(call.headers)") }
    try check(call, request, "Order 81 left today.", devices: [Self.phone, Self.tablet])
    screen.check("two devices, title, text and ticket_id: \"\(request)\" as a text, and nothing else")

    try await agent.comment("She is our best customer.", onTicket: request, isPublic: false)
    try await ann.comment("Thank you!", on: request)
    screen.says(.agent, "a private note: \"She is our best customer.\"")
    screen.says(.app, "\"Thank you!\"")
    try await checkSilence(calls: 1)
    guard
      try await ann.comments(of: request).map(\.text) == ["Where is my order?", "Order 81 left today.", "Thank you!"],
      try await agent.comments(ofTicket: request).count == 4
    else { throw DemoFailure("Ann does not see three comments, or the agent not four") }
    screen.check("no POST for either; Ann sees three comments, the agent four")
  }

  private func dieInBetween(_ request: Int64, _ agent: AgentClient) async throws {
    screen.title("3. The server is killed between the answer and its POST")
    stage.receiver.answer(with: .serviceUnavailable)
    screen.says(.backend, "is down for a moment: 503")
    try await agent.comment("It arrives on Friday.", onTicket: request)
    screen.says(.agent, "\"It arrives on Friday.\"")
    let failed = try await call("It arrives on Friday.")
    guard failed.status == 503 else { throw DemoFailure("the back end was not down") }
    try await stage.server.killNow()
    screen.kill("SIGKILL: no goodbye, no last write")
    stage.receiver.answer(with: .ok)
    let time = try await stage.server.start()
    screen.says(.server, "started again on the same directory, ready after \(DemoScreen.seconds(time))")
    let arrived = try await call("It arrives on Friday.", status: 200)
    guard arrived.id == failed.id, arrived.body == failed.body else {
      throw DemoFailure("the POST came under another webhook-id")
    }
    try await Task.sleep(for: DemoLimits.silence)
    guard calls("It arrives on Friday.").filter({ $0.status == 200 }).count == 1 else {
      throw DemoFailure("the POST came twice")
    }
    screen.check("the POST comes after the restart, once, under the webhook-id of the attempt before the kill")
  }

  private func lookOn(_ request: Int64, _ ann: SupportClient, _ agent: AgentClient) async throws {
    screen.title("4. Ann's phone shows the request already")
    let stream = try await ann.stream(of: request)
    let events = DemoInbox<SupportEvent>()
    let reading = Task { for await event in stream.events { events.put(event) } }
    defer { reading.cancel() }
    screen.says(.app, "holds a stream of live events for request \(request)")
    try await agent.comment("Shall the neighbour take it?", onTicket: request)
    screen.says(.agent, "\"Shall the neighbour take it?\"")
    let event = try await events.first("the live event") { $0.request == request }
    try await stream.acknowledge(event, on: Self.spelledToken)
    screen.says(.app, "gets comment \(event.comment) at once, shows it, says so for the phone")
    let shown = try await call("Shall the neighbour take it?")
    try check(shown, request, "Shall the neighbour take it?", devices: [Self.tablet])
    screen.check("the POST names the tablet only: the phone needs no push")

    try await agent.comment("Or shall we wait?", onTicket: request)
    screen.says(.agent, "\"Or shall we wait?\"; this time the app says nothing")
    let unseen = try await call("Or shall we wait?")
    try check(unseen, request, "Or shall we wait?", devices: [Self.phone, Self.tablet])
    screen.check("two seconds later the POST names both")
    await stream.close()
  }

  private func leave(_ request: Int64, _ agent: AgentClient, _ admin: AgentClient) async throws {
    screen.title("5. The devices are gone")
    screen.says(.backend, "hears from its push services that both are gone, and unregisters them")
    try await admin.unregisterDevices([Self.spelledToken, Self.tablet, "never-seen", Self.tablet])
    try await agent.comment("We will wait.", onTicket: request)
    screen.says(.agent, "\"We will wait.\"")
    let before = stage.receiver.received.all.count
    try await checkSilence(calls: before)
    screen.check("no POST: nobody is there to be told")
  }

  private func lookBack(_ request: Int64) async throws {
    screen.title("6. What the journal says")
    try await stage.server.stop()
    screen.says(.server, "stopped by SIGTERM")
    screen.says(.server, "carillon journal timeline --entity request:\(request)")
    let story = try await stage.server.timeline(ofEntity: "request:\(request)").split(separator: "\n")
    for line in story { screen.note("  \(line)") }
    for part in ["Where is my order?", "She is our best customer.", "We will wait.", "push "]
    where !story.contains(where: { $0.contains(part) }) {
      throw DemoFailure("the timeline tells nothing of \"\(part)\"")
    }
    screen.check("the whole story: each comment, who was told of it, and who was not")
    let verdict = try await stage.server.verifyJournal()
    screen.says(.server, "carillon journal verify")
    for line in verdict.split(separator: "\n") { screen.note("                  \(line)") }
    screen.check("the journal is whole")
  }

  // MARK: Checks

  private func calls(_ text: String) -> [DemoPushReceiver.Push] {
    stage.receiver.received.all.filter { $0.json["notification"]?["body"]?.string == text }
  }

  /// The first POST of a comment.
  private func call(_ text: String, status: Int? = nil) async throws -> DemoPushReceiver.Push {
    try await stage.receiver.received.first("the POST of \"\(text)\"") {
      $0.json["notification"]?["body"]?.string == text && (status ?? $0.status) == $0.status
    }
  }

  /// The whole body: receivers exist that refuse what they do not know. Spec: support requests 5.
  private func check(_ call: DemoPushReceiver.Push, _ request: Int64, _ text: String, devices: [String]) throws {
    let expected: JSONValue = [
      "devices": .array(
        devices.map { ["identifier": .string($0), "type": $0 == Self.phone ? "ios" : "android"] }),
      "notification": ["body": .string(text), "title": "Agent K replied", "ticket_id": .string(String(request))],
    ]
    guard call.json == expected else {
      throw DemoFailure("the body was \(String(decoding: call.body, as: UTF8.self))")
    }
  }

  private func checkSilence(calls count: Int) async throws {
    try await Task.sleep(for: DemoLimits.silence)
    let calls = stage.receiver.received.all
    guard calls.count == count else {
      throw DemoFailure(
        "a POST came that nobody needed: \(calls.last.map { String(decoding: $0.body, as: UTF8.self) } ?? "")")
    }
  }
}
