import Engine
import JSONEnvelope
import PushDomain
import SupportAPI
import Synchronization
import Testing

@testable import HTTPEdge

/// A server with apps of Zendesk's Support SDK, their agents, and a courier that shows what it is given.
struct SupportRig {
  let server: ServerHarness
  let courier: SupportTestCourier
  /// The agent Anna; her token is named by her e-mail.
  let agent: MessagingCaller

  static let options: [String: [String: String]] = [
    "support": ["agent_emails": "Boss@example.com, desk@example.com", "refresh_grace": "0"],
    "support.agents": ["anna@example.com": "Anna"],
    "support.app.shop": [
      "app_id": "shop-app", "integration": "webhook", "webhook_url": "https://hooks.example.com/push",
    ],
    "support.app.bank": ["app_id": "bank-app", "identity": "jwt", "jwt_url": "https://bank.example.com/jwt"],
  ]

  static func run(
    options: [String: [String: String]] = [:], limits: EdgeLimits = ServerHarness.patientLimits,
    origins: OriginPolicy = .none,
    verifyIdentity: @escaping SupportIdentityVerifier = EdgeConfiguration.verifiesNobody,
    _ body: (SupportRig) async throws -> Void
  ) async throws {
    let courier = SupportTestCourier()
    try await ServerHarness.run(
      limits: limits, options: Self.options.merging(options) { $0.merging($1) { $1 } }, origins: origins,
      messaging: MessagingEdgeSettings(publicURL: "https://help.test/"),
      providers: { courier.types.contains($0) ? courier : nil }, verifyIdentity: verifyIdentity
    ) { server in
      let secret = try server.tokens.create(name: "anna@example.com", role: .agent)
      let agent = MessagingCaller(
        client: try await server.connect(), fields: [("Authorization", "Bearer \(secret)")])
      try await body(SupportRig(server: server, courier: courier, agent: agent))
    }
  }

  /// Somebody without an identity yet, in one app.
  func stranger(app: String? = "shop") async throws -> MessagingCaller {
    MessagingCaller(client: try await server.connect(), fields: app.map { [("Client-Identifier", $0)] } ?? [])
  }

  /// An anonymous user who has signed in.
  func user(_ guid: String, app: String = "shop") async throws -> MessagingCaller {
    var caller = try await stranger(app: app)
    let answer = try await caller.call("POST", "/access/sdk/anonymous", #"{"user":{"sdk_guid":"\#(guid)"}}"#)
    let token = try #require(answer.json["authentication"]?["access_token"]?.string)
    caller.fields.append(("Authorization", "Bearer \(token)"))
    return caller
  }

  func holder(_ name: String, _ role: TokenRole) async throws -> MessagingCaller {
    let secret = try server.tokens.create(name: name, role: role)
    return MessagingCaller(client: try await server.connect(), fields: [("Authorization", "Bearer \(secret)")])
  }
}

extension MessagingCaller {
  /// Makes a request, and returns its number.
  func ask(_ subject: String, _ body: String = "Please help") async throws -> Int {
    let answer = try await call(
      "POST", "/api/mobile/requests.json", #"{"request":{"subject":"\#(subject)","comment":{"body":"\#(body)"}}}"#)
    #expect(answer.status == 201)
    return try #require(answer.json["request"]?["id"]?.integer)
  }

  /// An agent's comment.
  @discardableResult
  func comment(_ body: String, on number: Int, isPublic: Bool = true) async throws -> Answer {
    let answer = try await call(
      "PUT", "/api/v2/tickets/\(number).json",
      #"{"ticket":{"comment":{"body":"\#(body)","public":\#(isPublic)}}}"#)
    #expect(answer.status == 200)
    return answer
  }

  func registerDevice(_ identifier: String, type: String = "ios") async throws -> Answer {
    try await call(
      "POST", "/api/mobile/push_notification_devices.json",
      #"{"push_notification_device":{"identifier":"\#(identifier)","device_type":"\#(type)","locale":"en-us"}}"#)
  }
}

/// Takes what goes to back ends, and shows it in the order of its coming.
final class SupportTestCourier: PushProvider {
  private let (arrivals, arrived) = AsyncStream.makeStream(of: PushDelivery.self)
  private let outcome = Mutex(PushOutcome.delivered())
  var types: Set<String> { ["support-webhook", "support-events"] }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    arrived.yield(delivery)
    return outcome.withLock { $0 }
  }

  func objection(to target: PushAddress, _ options: PushOptions) async -> String? {
    target.deviceID.contains("inside") ? "private address" : nil
  }

  func answer(always outcome: PushOutcome) { self.outcome.withLock { $0 = outcome } }

  func next() async throws -> PushDelivery {
    for await delivery in arrivals { return delivery }
    throw CancellationError()
  }

  /// The next body.
  func body() async throws -> String { String(decoding: try await next().message.content, as: UTF8.self) }
}
