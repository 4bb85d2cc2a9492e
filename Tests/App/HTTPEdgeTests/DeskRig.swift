import JSONEnvelope
import Testing

@testable import HTTPEdge

/// Agents who speak by requests and over sockets, and the chats that they speak of.
struct DeskRig {
  static let options: [String: [String: String]] = [
    "service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"],
  ]

  let server: ServerHarness

  static func run(
    limits: EdgeLimits = ServerHarness.patientLimits, origins: OriginPolicy = .none,
    _ body: (DeskRig) async throws -> Void
  ) async throws {
    try await ServerHarness.run(limits: limits, options: options, origins: origins) {
      try await body(DeskRig(server: $0))
    }
  }

  /// The secret of a new token.
  func token(_ name: String, _ role: TokenRole = .agent, services: [String] = []) throws -> String {
    try server.tokens.create(name: name, role: role, services: services)
  }

  func socket(_ token: String?, query: String = "") async throws -> AgentSocketCaller {
    try await AgentSocketCaller(server, token: token, query: query)
  }

  func requests(_ token: String) async throws -> CallbackCaller {
    CallbackCaller(client: try await server.connect(), headers: "Authorization: Bearer \(token)\r\n")
  }

  /// The id of a new chat that waits.
  func chat(of service: String = "sales") async throws -> String {
    let app = CallbackCaller(client: try await server.connect())
    let id = try #require(try await app.json("POST", "/genesys/1/service/\(service)")["_id"]?.string)
    let reply = try await app.json("POST", "/genesys/1/service/\(id)/ixn/chat", #"{"nickname":"Guest"}"#)
    return try #require(reply["chatSessionId"]?.string)
  }
}
