import ChatDomain
import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

/// A server with somebody of every kind, twice: those whose things are, and those who reach for them.
struct CrossingWorld {
  /// Who calls. A new kind of caller is a case here and a row in `fields`.
  enum Caller: String, CaseIterable, Sendable {
    case nobody
    case customer, otherCustomer
    case supportUser, otherSupportUser
    case agent, otherAgent
    case supervisor
    case sender, otherSender
    case device, otherDevice
    case publisher
    case `operator`
  }

  let rig: SupportRig
  private let callers: [Caller: MessagingCaller]
  private let devices: [Caller: TestDevice]

  subscript(caller: Caller) -> MessagingCaller { callers[caller]! }

  /// A service of its own, which is all that the other agent's token names.
  static let otherService = "other-chat"

  /// The device that one of both is.
  func device(_ caller: Caller) -> TestDevice { devices[caller]! }

  static func run(_ body: (CrossingWorld) async throws -> Void) async throws {
    try await SupportRig.run(
      options: [
        "service.request-chat": ["_type": "builtin"], "service.\(otherService)": ["_type": "builtin"],
        "service.callback-voice": ["_service": "callback"],
        "push": ["pushEnabled": "comet,httpcb"],
      ]
    ) { rig in
      let server = rig.server
      let devices: [Caller: TestDevice] = [
        .device: try await TestDevice(server), .otherDevice: try await TestDevice(server),
      ]
      var callers: [Caller: MessagingCaller] = [:]
      func add(_ caller: Caller, _ fields: (String, String)...) async throws {
        callers[caller] = MessagingCaller(client: try await server.connect(), fields: fields)
      }
      try await add(.nobody)
      try await add(.customer, ("gms_user", "ann"))
      try await add(.otherCustomer, ("gms_user", "ben"))
      callers[.supportUser] = try await rig.user("guid-ann")
      callers[.otherSupportUser] = try await rig.user("guid-ben")
      callers[.agent] = rig.agent
      let otto = try server.tokens.create(name: "otto@example.com", role: .agent, services: [otherService])
      try await add(.otherAgent, ("Authorization", "Bearer \(otto)"))
      callers[.supervisor] = try await rig.holder("sue@example.com", .supervisor)
      callers[.sender] = try await server.appServer("4711", project: "shop")
      callers[.otherSender] = try await server.appServer("4712", project: "bank")
      callers[.device] = devices[.device]?.caller
      callers[.otherDevice] = devices[.otherDevice]?.caller
      callers[.publisher] = try await rig.holder("shop", .publisher)
      callers[.operator] = try await rig.holder("ops", .admin)
      try await body(CrossingWorld(rig: rig, callers: callers, devices: devices))
    }
  }

  // MARK: Things of the first of each kind

  /// A chat of the customer's.
  /// - Parameter agent: who has joined it; nil: it waits for one.
  func chat(
    of name: String = "request-chat", by customer: Caller = .customer, with agent: Caller? = .agent
  ) async throws -> (service: String, chat: String) {
    let made = try await self[.nobody].call("POST", "/genesys/1/service/\(name)", "{}")
    let service = try #require(made.json["_id"]?.string)
    let begun = try await self[customer].call(
      "POST", "/genesys/1/service/\(service)/ixn/chat", #"{"notify_by":"comet","nickname":"Ann"}"#)
    let chat = try #require(begun.json["chatSessionId"]?.string)
    guard let agent else { return (service, chat) }
    #expect(try await self[agent].call("POST", "/agent/1/chats/\(chat)/join", #"{"nickname":"K"}"#).status == 200)
    return (service, chat)
  }

  /// A chat of the customer's with the agent, in which the customer has sent a file.
  func chatWithFile() async throws -> CrossingPlace.Values {
    let (service, chat) = try await chat()
    let sent = try await self[.customer].call("POST", "/genesys/1/service/\(service)/ixn/chat/file?name=a.txt", "A")
    return ["service": service, "chat": chat, "file": try #require(sent.json["id"]?.string)]
  }

  /// A callback of the customer's, in the queue.
  func callback() async throws -> String {
    let made = try await self[.customer].call(
      "POST", "/genesys/1/service/callback/callback-voice", #"{"_customer_number":"+1","_media_type":"chat"}"#)
    return try #require(made.json["_id"]?.string)
  }

  /// A file that the customer stores under its own id, as `photo`.
  func stored() async throws -> String {
    let made = try await self[.customer].call(
      "POST", "/genesys/1/storage/600", Self.photo, adding: [("Content-Type", "multipart/form-data; boundary=b")])
    return try #require(made.json["id"]?.string)
  }

  /// The data of an instance of the customer's, with a file `photo`.
  func instance() async throws -> String {
    let service = try await chat().service
    let answer = try await self[.customer].call(
      "POST", "/genesys/1/service/\(service)/storage/photo", "PNG", adding: [("Content-Type", "image/png")])
    #expect(answer.status == 200)
    return service
  }

  static let photo =
    "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"p.png\"\r\nContent-Type: image/png\r\n\r\n"
    + "PNG\r\n--b--\r\n"

  func subscription(of customer: Caller = .customer) async throws -> String {
    let made = try await self[customer].call(
      "POST", "/genesys/1/notification/subscription",
      #"{"subscriberId":"a","filter":"*","expire":600,"#
        + #""notificationDetails":{"type":"httpcb","deviceId":"https://a.example.test/in"}}"#,
      adding: [("Content-Type", "application/json")])
    return try #require(made.json["id"]?.string)
  }

  /// The id of a session that the agent's token has opened.
  func consoleSession() async throws -> String {
    for view in rig.server.engine.console.open() { _ = try await rig.server.engine.console.end(view.id, .signedOut) }
    let secret = try #require(self[.agent].fields.first { $0.0 == "Authorization" }?.1.dropFirst("Bearer ".count))
    let signedIn = try await self[.nobody].call(
      "POST", "/console/1/session", #"{"token":"\#(secret)"}"#, adding: [("Content-Type", "application/json")])
    #expect(signedIn.status == 200)
    return try #require(rig.server.engine.console.open().first?.id)
  }

  /// A reply of the agent's own, and the only one.
  func cannedReply() async throws -> String {
    let holder = CannedReplyHolder(name: "anna@example.com")
    for known in try await rig.server.engine.cannedReplies.list(for: holder) {
      try await rig.server.engine.cannedReplies.remove(known.reply.id, by: holder)
    }
    let made = try await self[.agent].call("POST", "/agent/1/canned", #"{"shortcut":"hi","text":"Hello"}"#)
    return try #require(made.json["id"]?.string)
  }

  func customersDevice(_ identifier: String = "device-77", of customer: Caller = .customer) async throws -> String {
    let made = try await self[customer].call(
      "POST", "/devices/1", #"{"type":"customhttp","identifier":"\#(identifier)"}"#)
    return try #require(made.json["id"]?.string)
  }

  /// The support user's number, once they have this device.
  func supportDevice(_ identifier: String) async throws -> Int {
    let made = try await self[.supportUser].registerDevice(identifier)
    #expect([200, 201].contains(made.status))
    return try #require(try await self[.supportUser].call("GET", "/api/v2/users/me").json["user"]?["id"]?.integer)
  }

  func upload() async throws -> String {
    let made = try await self[.supportUser].call("POST", "/api/v2/uploads.json?filename=a.png", "PNG")
    return try #require(made.json["upload"]?["token"]?.string)
  }
}
