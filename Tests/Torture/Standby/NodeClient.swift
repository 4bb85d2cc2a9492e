import CarillonClient
import JSONEnvelope
import StandbyWire

/// Asks a server, in short.
struct NodeClient: Sendable {
  /// What a primary says of a standby.
  struct Standing: Sendable, CustomStringConvertible {
    let isConnected: Bool
    let acknowledged: UInt64?
    let recordsBehind: Int?
    let secondsBehind: Double

    var description: String {
      "connected \(isConnected), acknowledged \(acknowledged.map { "\($0)" } ?? "nothing"), "
        + "\(recordsBehind.map { "\($0)" } ?? "?") records and \(secondsBehind) s behind"
    }
  }

  private let pool: HTTPPool

  init(_ pool: HTTPPool) { self.pool = pool }

  /// Asks the server at a port of loopback over connections that are closed afterwards.
  static func with<Answer>(
    _ port: Int, isolation: isolated (any Actor)? = #isolation, _ body: (NodeClient) async throws -> Answer
  ) async throws -> Answer {
    let pool = HTTPPool(ServerAddress(host: "127.0.0.1", port: port))
    defer { pool.shutDown() }
    return try await body(NodeClient(pool))
  }

  /// The body of an answer that says that all is well.
  func json(_ request: HTTPRequest) async throws -> JSONValue {
    guard let body = try await jsonUnlessUnavailable(request) else {
      throw ScriptViolation("\(request.path) was answered 503")
    }
    return body
  }

  /// - Returns: nil if it was answered 503.
  func jsonUnlessUnavailable(_ request: HTTPRequest) async throws -> JSONValue? {
    let response = try await pool.response(to: request)
    if response.status == 503 { return nil }
    guard response.status == 200 else {
      let answer = String(decoding: response.bodyBytes.prefix(300), as: UTF8.self)
      throw ScriptViolation("\(request.path) was answered \(response.status): \(answer)")
    }
    return try JSONValue(parsing: response.bodyBytes)
  }

  /// How a standby stands; nil if the primary knows none of that name, or does not say.
  func standing(of name: String, token: String) async throws -> Standing? {
    let request = HTTPRequest(.get, "/admin/1/standbys", headers: [("Authorization", "Bearer \(token)")])
    let list = try await jsonUnlessUnavailable(request)?.array ?? []
    guard let found = list.first(where: { $0["name"]?.string == name }) else { return nil }
    return Standing(
      isConnected: found["connected"]?.bool ?? false,
      acknowledged: found["acknowledged"]?.integer.flatMap { UInt64(exactly: $0) },
      recordsBehind: found["recordsBehind"]?.integer, secondsBehind: found["secondsBehind"]?.double ?? 0)
  }

  /// Says that there is a later epoch, as a standby does that has heard of it.
  /// - Returns: the status of the answer; nil if the server ended before it.
  func tell(of epoch: UInt32, token: String) async throws -> Int? {
    let request = HTTPRequest(
      .get, StandbyRoute.manifest,
      headers: [("Authorization", "Bearer \(token)"), (StandbyRoute.epochField, "\(epoch)")])
    do {
      return try await pool.response(to: request).status
    } catch .connectionClosed {
      return nil
    }
  }
}
