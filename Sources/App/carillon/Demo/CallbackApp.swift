import CarillonClient
import JSONEnvelope

/// The app of a customer who wants to be called back. It knows where to order a callback; everything else it finds in
/// pushes and dialogs, whose URLs it follows.
struct CallbackApp: Sendable {
  private let pool: HTTPPool
  private let screen: DemoScreen

  init(_ server: ServerAddress, _ screen: DemoScreen) {
    pool = HTTPPool(server)
    self.screen = screen
  }

  func shutDown() { pool.shutDown() }

  /// Spec: GMS 9.1. - Returns: the dialog that answers.
  func order(_ service: String, _ fields: JSONValue) async throws -> JSONValue {
    try await post("/genesys/1/service/callback/\(service)", fields.text)
  }

  /// What a push leads to. Spec: GMS 9.2.
  func follow(_ push: JSONValue) async throws -> JSONValue {
    guard let id = push["_id"]?.string, let action = push["_action"]?.string else {
      throw DemoFailure("the push names no action: \(String(decoding: push.text, as: UTF8.self))")
    }
    return try await post(path(id, action))
  }

  /// What a dialog leads to.
  func follow(url: String?) async throws -> JSONValue {
    guard let url, url.hasPrefix(pool.address.description) else {
      throw DemoFailure("a dialog leads to \(url ?? "nothing"), which is not on this server")
    }
    return try await post(String(url.dropFirst(pool.address.description.count)))
  }

  /// What it does by itself.
  func act(_ action: String, on id: String) async throws -> JSONValue { try await post(path(id, action)) }

  /// The status of an action that the server is to refuse.
  func status(of action: String, on id: String) async throws -> Int {
    try await pool.response(to: HTTPRequest(.post, path(id, action))).status
  }

  private func path(_ id: String, _ action: String) -> String { "/genesys/1/service/\(id)/\(action)" }

  private func post(_ path: String, _ body: [UInt8] = []) async throws -> JSONValue {
    screen.note("                  → POST …/\(path.split(separator: "/").last ?? "")")
    if !body.isEmpty { screen.wire("→", body) }
    let response = try await pool.response(
      to: HTTPRequest(.post, path, contentType: body.isEmpty ? nil : "application/json", body: body))
    let answer = response.bodyBytes
    screen.wire("←", answer)
    guard response.status == 200 else {
      throw DemoFailure("POST \(path) was answered with \(response.status): \(String(decoding: answer, as: UTF8.self))")
    }
    return try JSONValue(parsing: answer)
  }
}
