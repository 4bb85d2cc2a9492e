import ChatDomain
import EventSourcing
import JSONEnvelope
import PushDomain
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Where the pushes of a chat go, and in which language", .timeLimit(.minutes(2)))
struct ChatPushTargetTests {
  private static let url = "https://hooks.example.test/in/17"

  private func subscribe(_ rig: DeviceRig, seconds: Int = 3_600) async throws -> String {
    var order = SubscriptionOrder(subscriberID: "app-17", filter: "orders.*", type: "httpcb", deviceID: Self.url)
    order.seconds = seconds
    order.authorization = "dXNlcjpwdw=="
    return try await rig.engine.notifications.subscribe(order)
  }

  /// A chat in the background whose pushes go there; its agent has joined.
  private func chat(_ rig: DeviceRig, _ target: PushTarget?, user: String = "alice") async throws
    -> DeviceRig.BackgroundChat
  {
    let service = try await rig.engine.chats.create(service: "request-chat", data: [])
    _ = try await rig.engine.chats.start(
      service, ChatStartRequest(userKey: user, notifiesByComet: true, nickname: "Guest", pushTarget: target))
    let client = ScriptedClient(rig.rig, user: user)
    _ = try await client.comeOnline()
    let chat = DeviceRig.BackgroundChat(service: service, chatID: try await rig.rig.chatID(service))
    _ = try await rig.engine.agents.join(chat.chatID, agentID: "k", nickname: "Agent K", role: .agent)
    _ = try await client.disconnect(position: 2)
    try await rig.settle()
    return chat
  }

  @Test("a subscription's address gets them, with its authorization, as long as it lasts")
  func subscription() async throws {
    let rig = try await DeviceRig()
    let id = try await subscribe(rig)
    let target = try await rig.engine.notifications.chatTarget(id, language: "de")
    #expect(target == PushTarget(type: "httpcb", deviceID: Self.url, language: "de", subscriptionID: id))
    let chat = try await chat(rig, target)
    try await rig.say("One moment", in: chat)
    let delivery = try #require(rig.provider.deliveries.last)
    #expect(delivery.message.target.deviceID == Self.url)
    #expect(delivery.message.target.authorization == "dXNlcjpwdw==")
    #expect(rig.provider.deliveries.count == 1)
    #expect(try await rig.engine.notifications.unsubscribe(id))
    try await rig.say("Found it", in: chat)
    #expect(rig.provider.deliveries.count == 1)
    // Nobody owes it: it was decided that it is not sent.
    #expect(await rig.owed(chat) == 0)
    try await rig.stop()
  }

  @Test("a subscription that is not there, or is over, or of the wrong type, is refused")
  func noSubscription() async throws {
    let rig = try await DeviceRig()
    let notifications = rig.engine.notifications
    await #expect(throws: EngineError.invalid(field: "subscriptionID", reason: "names no subscription")) {
      try await notifications.chatTarget("0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2", language: nil)
    }
    let short = try await subscribe(rig, seconds: 30)
    try await rig.advance(by: .seconds(31))
    await #expect(throws: EngineError.self) { try await notifications.chatTarget(short, language: nil) }
    let comet = try await notifications.subscribe(
      SubscriptionOrder(subscriberID: "a", filter: "*", type: "comet", deviceID: "alice"))
    await #expect(throws: EngineError.self) { try await notifications.chatTarget(comet, language: nil) }
    try await rig.stop()
  }

  @Test("a new token of a running chat gets the next push, also after a restart")
  func newToken() async throws {
    var rig = try await DeviceRig()
    let chat = try await chat(rig, PushTarget(type: "test", deviceID: "old"))
    try await rig.say("One", in: chat)
    try await rig.engine.chats.changePushTarget(chat.service, to: PushTarget(type: "test", deviceID: "new"), by: .house)
    try await rig.say("Two", in: chat)
    #expect(rig.provider.deliveries.map(\.message.target.deviceID) == ["old", "new"])
    // The registry knows the device, and whose it is.
    #expect(try await rig.devices.list(DeviceFilter(owner: "alice")).count == 2)
    await rig.kill()
    rig = try await rig.restarted()
    try await rig.say("Three", in: chat)
    #expect(rig.provider.deliveries.map(\.message.target.deviceID) == ["new"])
    try await rig.engine.chats.changePushTarget(chat.service, to: nil, by: .house)
    try await rig.say("Four", in: chat)
    #expect(rig.provider.deliveries.count == 1)
    try await rig.stop()
  }

  @Test(
    "the text is the operator's in the app's language or a wider one, then the option's, then ours",
    arguments: [
      ("de", nil, [:], "Neue Nachricht vom Serviceteam"), ("de-AT", nil, [:], "Neue Nachricht vom Serviceteam"),
      (nil, nil, [:], "New message from Agent"), ("xx", nil, [:], "New message from Agent"),
      ("not a language", nil, [:], "New message from Agent"), ("de", "Kuckuck", [:], "Kuckuck"),
      (nil, "Kuckuck", [:], "Kuckuck"),
      ("de-AT", "Kuckuck", ["de": "Hallo"], "Hallo"),
      ("de-AT", "Kuckuck", ["de": "Hallo", "de-at": "Servus"], "Servus"),
      ("fr", "Kuckuck", ["de": "Hallo"], "Kuckuck"), ("nl", nil, ["nl": "Nieuw bericht"], "Nieuw bericht"),
    ] as [(String?, String?, [String: String], String)])
  func language(language: String?, option: String?, texts: [String: String], expected: String) async throws {
    let own = option.map { ["_client_timeout_notification_message": $0] } ?? [:]
    let rig = try await DeviceRig(sections: [
      "service.request-chat": ["_client_timeout_notification": "0"].merging(own) { $1 }
    ])
    var options = rig.engine.options.current
    for (tag, text) in texts { try options.texts.replace("chat.new-message", language: tag, with: text) }
    rig.engine.options.replace(options)
    let chat = try await chat(rig, PushTarget(type: "test", deviceID: "d", language: language))
    try await rig.say("One", in: chat)
    let message = try #require(rig.provider.deliveries.first?.message)
    #expect(message.alert == expected)
    #expect(try JSONValue(parsing: message.content)["message"]?.string == expected)
    #expect(try JSONValue(parsing: try #require(message.compactContent))["message"]?.string == expected)
    try await rig.stop()
  }
}
