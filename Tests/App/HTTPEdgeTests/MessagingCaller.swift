import Crypto
import JSONEnvelope
import Testing

@testable import HTTPEdge

/// Speaks to a server on one connection, always with the same header fields.
struct MessagingCaller {
  let client: RawClient
  var fields: [(String, String)] = []

  struct Answer {
    let status: Int
    let body: String
    let raw: RawClient.Response
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    var error: String? { json["error"]?.string }
  }

  @discardableResult
  func call(
    _ method: String, _ path: String, _ body: String = "", adding more: [(String, String)] = []
  ) async throws -> Answer {
    try await call(method, path, bytes: Array(body.utf8), adding: more)
  }

  func call(
    _ method: String, _ path: String, bytes: [UInt8], adding more: [(String, String)] = []
  ) async throws -> Answer {
    let lines = (fields + more).map { "\($0.0): \($0.1)\r\n" }.joined()
    let head = "\(method) \(path) HTTP/1.1\r\nHost: push.test\r\nContent-Length: \(bytes.count)\r\n\(lines)\r\n"
    try await client.write(Array(head.utf8) + bytes)
    let response = try await client.response()
    return Answer(status: response.status, body: response.body, raw: response)
  }
}

/// A device that has checked in over the JSON form.
struct TestDevice {
  /// The form of a VAPID key: an uncompressed P-256 point as Base64.
  static let pageKey = "B" + String(repeating: "A", count: 86)

  let id: String
  let securityToken: String
  let caller: MessagingCaller

  init(_ server: ServerHarness) async throws {
    let client = try await server.connect()
    let identity = try await MessagingCaller(client: client).call("POST", "/device/1/checkin", "{}").json
    id = try #require(identity["id"]?.string)
    securityToken = try #require(identity["securityToken"]?.string)
    caller = MessagingCaller(client: client, fields: [("Authorization", "AidLogin \(id):\(securityToken)")])
  }

  /// Posts to the registration endpoint; its answer is always a line.
  func register3(_ fields: String) async throws -> String {
    try await caller.call("POST", "/c2dm/register3", "device=\(id)&\(fields)").body
  }

  func token(app: String = "com.example.app", sender: String = "4711", _ more: String = "") async throws -> String {
    let line = try await register3("app=\(app)&sender=\(sender)\(more)")
    return String(try #require(line.hasPrefix("token=") ? line.dropFirst("token=".count) : nil, "\(line)"))
  }
}

extension ServerHarness {
  /// An app server with a key of its own.
  func appServer(_ sender: String, project: String? = nil) async throws -> MessagingCaller {
    let key = try await senderKey("server-\(sender)", SenderGrant(sender: sender, projectID: project))
    return MessagingCaller(client: try await connect(), fields: [("Authorization", "key=\(key)")])
  }

  /// A key that the server knows: it looks for keys in the file only now and then.
  func senderKey(_ name: String, _ grant: SenderGrant) async throws -> String {
    let key = try tokens.create(name: name, role: .sender, sender: grant)
    try await until { tokens.sender(forKey: key) != nil }
    return key
  }
}
