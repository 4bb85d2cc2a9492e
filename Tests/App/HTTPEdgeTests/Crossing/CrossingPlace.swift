import Testing

@testable import HTTPEdge

/// Where an object of somebody's is found: paths that begin alike, whose the object is, and who else may reach it.
struct CrossingPlace: Sendable {
  typealias Caller = CrossingWorld.Caller

  /// What stands in the braces of a path, and what a body needs beside.
  typealias Values = [String: String]

  /// How one sees that the object is there.
  struct Look: Sendable {
    let caller: Caller
    /// With braces, as those of operations.
    let path: String
    /// Whether it looks the same as long as nobody touches it.
    var isSteady = true

    init(_ caller: Caller, _ path: String, isSteady: Bool = true) {
      self.caller = caller
      self.path = path
      self.isSteady = isSteady
    }
  }

  /// The beginning of the paths, as the description has them; the longest one counts.
  let beginning: String
  /// Whose it is: is served.
  let owner: Caller
  /// Makes the object anew.
  let make: @Sendable (CrossingWorld) async throws -> Values
  /// Before others have reached for it and after.
  let look: Look
  /// Others who may, and why.
  var others: [Caller: String] = [:]
  /// For objects that are not there for others: in the place of their id, what names nothing.
  var nothing: Values = [:]
  var body: @Sendable (_ path: String, Values) -> String = { _, _ in Self.anything }
  var query = ""

  /// All members that the customers' and agents' operations want.
  private static let anything =
    #"{"message":"x","pushUrl":"https://a.example.test/","text":"x","url":"https://a.example.test/","nickname":"N","#
    + #""started":true,"subject":"x","colour":"red","photo":"x","position":1,"agentId":"otto@example.com","#
    + #""disposition":"x"}"#

  private static let theID = "the id is the key to a callback's dialogs and actions"
  private static let noKey: [Caller: String] = Dictionary(
    uniqueKeysWithValues: Caller.allCases.filter { $0 != .otherCustomer && $0 != .customer }.map { ($0, theID) })

  private static let supervisors: [Caller: String] = [.supervisor: "supervisors see what their services' agents see"]

  private static let transcript = Look(.agent, "/agent/1/chats/{chat}/transcript")
  private static let registration = Look(.sender, "/iid/info/{token}?details=true")
  private static let ticket = Look(.agent, "/api/v2/tickets/{id}")
  private static let upload = Look(.nobody, "/attachments/token/{token}")

  /// A new kind of object is a row here; the test fails for a path with an id that no row knows.
  static let all = customers + agents + appServers + support

  private static let customers: [CrossingPlace] = [
    CrossingPlace(
      beginning: "/genesys/1/service/{service}/ixn/chat", owner: .customer,
      make: { world in
        let (service, chat) = try await world.chat()
        return ["service": service, "chat": chat]
      }, look: transcript, nothing: ["service": "1-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"]),
    CrossingPlace(
      beginning: "/genesys/1/service/{service}/ixn/chat/file", owner: .customer, make: { try await $0.chatWithFile() },
      look: transcript, nothing: ["service": "1-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"], query: "?name=a.txt"),
    CrossingPlace(
      beginning: "/genesys/1/service/{service}/storage", owner: .customer,
      make: { ["service": try await $0.instance(), "key": "photo"] },
      look: Look(.customer, "/genesys/1/service/{service}/storage"),
      nothing: ["service": "1-0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"]),
    CrossingPlace(
      beginning: "/genesys/1/service/{service}/", owner: .customer, make: { ["service": try await $0.callback()] },
      look: Look(.customer, "/genesys/1/service/callback/callback-voice/{service}", isSteady: false),
      others: noKey, nothing: ["service": "7Q2M0D1K4H9A3L0R00512B80C00001A4"]),
    CrossingPlace(
      beginning: "/genesys/1/service/callback/{name}/{id}", owner: .customer,
      make: { ["name": "callback-voice", "id": try await $0.callback()] },
      look: Look(.customer, "/genesys/1/service/callback/{name}/{id}", isSteady: false),
      nothing: ["id": "7Q2M0D1K4H9A3L0R00512B80C00001A4"]),
    CrossingPlace(
      beginning: "/genesys/1/storage/", owner: .customer, make: { ["id": try await $0.stored(), "key": "photo"] },
      look: Look(.customer, "/genesys/1/storage/{id}"), nothing: ["id": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"]),
    CrossingPlace(
      beginning: "/genesys/1/notification/subscription/", owner: .customer,
      make: { ["id": try await $0.subscription()] },
      look: Look(.customer, "/genesys/1/notification/subscription/{id}"),
      nothing: ["id": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"]),
    CrossingPlace(
      beginning: "/devices/1/", owner: .customer, make: { ["id": try await $0.customersDevice()] },
      look: Look(.customer, "/devices/1/{id}"), nothing: ["id": String(repeating: "0", count: 32)]),
  ]

  private static let agents: [CrossingPlace] = [
    CrossingPlace(
      beginning: "/console/1/sessions/", owner: .agent, make: { ["id": try await $0.consoleSession()] },
      look: Look(.operator, "/console/1/sessions"), others: [.operator: "operators end anybody's"],
      nothing: ["id": String(repeating: "0", count: 64)], body: { _, _ in "" }),
    CrossingPlace(
      beginning: "/agent/1/chats/", owner: .agent, make: { ["chat": try await $0.chat().chat] }, look: transcript,
      others: supervisors, nothing: ["chat": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"],
      body: { path, _ in path.hasSuffix("/request") ? #"{"comment":{"body":"x"}}"# : anything }),
    supervisors("whisper"), supervisors("takeover"),
    CrossingPlace(
      beginning: "/agent/1/customers/", owner: .agent,
      make: { world in
        _ = try await world.chat()
        return ["key": "ann"]
      }, look: Look(.agent, "/agent/1/customers/{key}", isSteady: false), others: supervisors,
      nothing: ["key": "nobody"]),
    CrossingPlace(
      beginning: "/agent/1/chats/{chat}/file", owner: .agent, make: { try await $0.chatWithFile() }, look: transcript,
      others: supervisors, nothing: ["chat": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"], query: "?name=a.txt"),
    CrossingPlace(
      beginning: "/agent/1/canned/", owner: .agent, make: { ["id": try await $0.cannedReply()] },
      look: Look(.agent, "/agent/1/canned"), nothing: ["id": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"],
      body: { _, _ in #"{"shortcut":"changed","text":"x"}"# }),
    CrossingPlace(
      beginning: "/agent/1/callbacks/", owner: .agent,
      make: { world in
        let id = try await world.callback()
        #expect(try await world[.agent].call("POST", "/agent/1/callbacks/\(id)/available").status == 200)
        return ["id": id]
      }, look: Look(.agent, "/agent/1/callbacks/{id}", isSteady: false), others: supervisors,
      nothing: ["id": "7Q2M0D1K4H9A3L0R00512B80C00001A4"], body: { _, _ in "" }),
  ]

  /// What only a supervisor does to an agent's chat.
  private static func supervisors(_ act: String) -> CrossingPlace {
    CrossingPlace(
      beginning: "/agent/1/chats/{chat}/\(act)", owner: .supervisor, make: { ["chat": try await $0.chat().chat] },
      look: transcript, others: [.agent: "agents of the service are told that it is a supervisor's"],
      nothing: ["chat": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"])
  }

  /// App servers, and what devices have registered.
  private static let appServers: [CrossingPlace] = [
    CrossingPlace(
      beginning: "/iid/", owner: .sender, make: { ["token": try await $0.device(.device).token(), "topic": "news"] },
      look: registration),
    CrossingPlace(
      beginning: "/v1/projects/{project}/messages:send", owner: .sender,
      make: { ["project": "shop", "token": try await $0.device(.device).token()] }, look: registration,
      body: { _, values in #"{"message":{"token":"\#(values["token"] ?? "")","data":{"a":"b"}}}"# }),
    CrossingPlace(
      beginning: "/v1/projects/{project}/registrations/{token}/topicSubscriptions", owner: .sender,
      make: { ["project": "shop", "token": try await $0.device(.device).token(), "topic": "news"] },
      look: registration, query: "?topic_name=news&allow_missing=true"),
  ]

  private static let support: [CrossingPlace] = [
    CrossingPlace(
      beginning: "/api/v2/requests/{id}", owner: .supportUser,
      make: { ["id": "\(try await $0[.supportUser].ask("Help"))"] }, look: ticket, nothing: ["id": "999999"],
      body: request),
    CrossingPlace(
      beginning: "/api/mobile/requests/{id}", owner: .supportUser,
      make: { ["id": "\(try await $0[.supportUser].ask("Help"))"] }, look: ticket, nothing: ["id": "999999"],
      body: request),
    CrossingPlace(
      beginning: "/api/v2/tickets/{id}", owner: .agent, make: { ["id": "\(try await $0[.supportUser].ask("Help"))"] },
      look: ticket,
      others: [
        .operator: "operators are agents of the helpdesk", .supervisor: "supervisors are agents of the helpdesk",
      ], nothing: ["id": "999999"],
      body: { _, _ in #"{"ticket":{"comment":{"body":"x"}}}"# }),
    CrossingPlace(
      beginning: "/api/mobile/push_notification_devices/", owner: .supportUser,
      make: { ["identifier": "token-ann", "user": "\(try await $0.supportDevice("token-ann"))"] },
      look: Look(.operator, "/admin/1/support/users/{user}/devices"), nothing: ["identifier": "token-nobody"],
      body: { _, _ in "" }),
    CrossingPlace(
      beginning: "/api/v2/uploads/", owner: .supportUser, make: { ["token": try await $0.upload()] }, look: upload,
      nothing: ["token": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"], body: { _, _ in "" }),
    CrossingPlace(
      beginning: "/api/mobile/uploads/", owner: .supportUser, make: { ["token": try await $0.upload()] }, look: upload,
      nothing: ["token": "0b7c6e1e-52a4-4d55-9a3d-3f1d1c0a77e2"], body: { _, _ in "" }),
  ]

  /// One operation of each kind of object that there has to be, whatever else is there.
  static let kinds: [String: String] = [
    "chat": "sendMessage", "callback": "getCallback", "storage": "getStored", "file": "getStoredFile",
    "file of an instance": "getInstanceFile", "subscription": "getSubscription", "device": "getDevice",
    "chat of an agent": "getChat", "callback of an agent": "getCallbackWork", "registration": "getTokenInfo",
    "file of a chat": "getChatFile", "file of an agent's chat": "getAgentFile", "upload": "deleteSupportFile",
    "device of support": "unregisterSupportDevice", "canned reply": "changeCannedReply",
  ]

  private static let request: @Sendable (String, Values) -> String = { path, _ in
    path.hasSuffix("/read") ? "{}" : #"{"request":{"comment":{"body":"x"}}}"#
  }

  /// Below these only operators come: everybody else is refused for what they are, before anything is looked up.
  static let operators = "/admin/1/"

  /// What stands in braces is no id of an object, or whoever has it may have the object; by operation, and why.
  static let open: [String: String] = [
    "createService": "the name of a service", "createCallback": "the name of a service",
    "findCallbacks": "the name of a service; what is found is tried in another test",
    "getAvailability": "the name of a service",
    "store": "a life time", "storeCustom": "an id within the user's own; tried in another test",
    "getMobileSettings": "the app's id, which is in each copy of the app",
    "createInstallation": "the name of a project", "deleteInstallation": "nothing is kept of it",
    "generateInstallationToken": "nothing is kept of it, and the token opens nothing",
    "registerWeb": "the name of a project; the token is the key, in the body",
    "updateWebRegistration": "the token is the key: only its page has it",
    "pushToBrowser": "the URL is the key, as Web Push has it",
    "pushToSubscription": "the URL is the key, as Web Push has it",
    "getReceipt": "off as a rule; tried in another test",
    "getLogTile": "hashes of all records: as the operator has it, for anybody or for operators; tried in another test",
    "getSupportFile": "the address is the key: mails and SDKs show the file without a sign-in",
  ]
}
