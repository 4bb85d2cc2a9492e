import JSONEnvelope
import Testing

@testable import HTTPEdge

/// A page of the console in somebody's browser: sends its cookie with each request, and the proof with each change.
struct ConsoleCaller {
  static let json = ("Content-Type", "application/json")

  let caller: MessagingCaller
  /// What signing in has answered.
  let session: JSONValue
  /// `carillon_session=…`
  let cookie: String

  var csrf: String { session["csrf"]?.string ?? "" }
  /// The header fields of a change.
  var proof: [(String, String)] { [("Cookie", cookie), ("X-CSRF-Token", csrf)] }

  /// Signs in by a token.
  init(_ server: ServerHarness, _ secret: String, adding fields: [(String, String)] = []) async throws {
    let caller = MessagingCaller(client: try await server.connect())
    let answer = try await Self.signIn(caller, #"{"token":"\#(secret)"}"#, adding: fields)
    try #require(answer.status == 200, "\(answer.body)")
    self.caller = caller
    session = answer.json
    cookie = try #require(answer.raw.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
  }

  static func signIn(
    _ caller: MessagingCaller, _ body: String, adding fields: [(String, String)] = []
  ) async throws -> MessagingCaller.Answer {
    try await caller.call("POST", "/console/1/session", body, adding: [json] + fields)
  }

  func get(_ path: String, adding fields: [(String, String)] = []) async throws -> MessagingCaller.Answer {
    try await caller.call("GET", path, adding: [("Cookie", cookie)] + fields)
  }

  func change(
    _ method: String, _ path: String, _ body: String = "", adding fields: [(String, String)] = []
  ) async throws -> MessagingCaller.Answer {
    try await caller.call(method, path, body, adding: proof + fields)
  }
}
