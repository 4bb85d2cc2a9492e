import EntityRuntime
import EventSourcing
import JSONEnvelope

@testable import HTTPEdge

/// Calls a server as an app, an agent or an operator does; each call in a connection that is kept.
struct CallbackCaller {
  let client: RawClient
  /// Header fields of every call, each with its line end.
  var headers = ""

  static let name = "callback-voice"
  static let path = "/genesys/1/service/callback/callback-voice"
  /// What the server calls itself to somebody who calls it `localhost`.
  static let base = "http://localhost/genesys/1/service"

  @discardableResult
  func call(
    _ method: String, _ path: String, _ body: String = "", headers extra: String = ""
  ) async throws -> RawClient.Response {
    try await client.write(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\(extra)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try await client.response()
  }

  func json(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
    try JSONValue(parsing: try await call(method, path, body).body)
  }

  /// Orders a callback and returns its id. - Parameter members: of the JSON object, beside the number.
  func order(_ members: String = "", of service: String = name, number: String = "+1") async throws -> String {
    let body = #"{"_customer_number":"\#(number)"\#(members.isEmpty ? "" : "," + members)}"#
    let answer = try await json("POST", "/genesys/1/service/callback/\(service)", body)
    return answer["_id"]?.string ?? "\(answer)"
  }

  /// An action of the app.
  func act(_ id: String, _ action: String, by method: String = "POST") async throws -> RawClient.Response {
    try await call(method, "/genesys/1/service/\(id)/\(action)")
  }

  func record(_ id: String, of service: String = name) async throws -> JSONValue {
    try await json("GET", "/genesys/1/service/callback/\(service)/\(id)")
  }

  func state(_ id: String, of service: String = name) async throws -> String? {
    try await record(id, of: service)["_callback_state"]?.string
  }

  /// The next full hour that is more than `hours` away.
  static func fullHour(after hours: Int64) -> Timestamp {
    let hour: Int64 = 3_600_000
    return Timestamp(milliseconds: (SystemTime().now.milliseconds / hour + hours + 1) * hour)
  }
}

extension ServerHarness {
  /// A server with the service `callback-voice`.
  /// - Parameter service: its options.
  static func runCallbacks(
    _ service: [String: String] = [:], options: [String: [String: String]] = [:],
    origins: OriginPolicy = .none, messaging: MessagingEdgeSettings = MessagingEdgeSettings(),
    _ body: (ServerHarness, CallbackCaller) async throws -> Void
  ) async throws {
    let own = ["service.callback-voice": service.merging(["_service": "callback"]) { own, _ in own }]
    try await run(options: own.merging(options) { $1 }, origins: origins, messaging: messaging) { server in
      try await body(server, try await server.app())
    }
  }

  func app(user: String = "user-5521") async throws -> CallbackCaller {
    CallbackCaller(client: try await connect(), headers: "gms_user: \(user)\r\n")
  }

  func caller(_ name: String, _ role: TokenRole) async throws -> CallbackCaller {
    let secret = try tokens.create(name: name, role: role)
    return CallbackCaller(client: try await connect(), headers: "Authorization: Bearer \(secret)\r\n")
  }
}
