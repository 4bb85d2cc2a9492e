import CarillonClient
import JSONEnvelope

/// Speaks to a server byte by byte: each request on a connection of its own unless it is told otherwise.
struct Wire: Sendable {
  let port: Int
  /// Sent with every request.
  var headers: [(String, String)] = []

  func ask(
    _ method: String, _ path: String, _ body: [UInt8] = [], type: String? = nil, headers: [(String, String)] = [],
    within timeout: Duration = .seconds(15)
  ) async throws -> WireResponse {
    let conversation = try await HTTPConversation.open(port)
    do {
      try await conversation.send(method, path, body, type: type, headers: self.headers + headers)
      let response = try await conversation.response(within: timeout)
      await conversation.close()
      return response
    } catch {
      await conversation.close()
      throw error
    }
  }

  func get(_ path: String) async throws -> WireResponse { try await ask("GET", path) }

  func form(_ path: String, _ fields: [(name: String, value: String)] = []) async throws -> WireResponse {
    try await ask("POST", path, formEncoded(fields), type: "application/x-www-form-urlencoded")
  }

  func json(_ path: String, _ body: JSONValue) async throws -> WireResponse {
    try await ask("POST", path, body.text, type: "application/json")
  }

  /// One Comet request; its reply must be an array.
  func comet(_ body: String, headers: [(String, String)] = [], path: String = "/genesys/cometd") async throws
    -> [JSONValue]
  {
    let response = try await ask("POST", path, Array(body.utf8), type: "application/json", headers: headers)
    guard response.status == 200, let messages = response.json.array else {
      throw EndToEndFailure("the Comet endpoint answered \(response.status): \(response.text)")
    }
    return messages
  }

  /// Makes a service instance and starts its chat.
  func startChat(
    _ fields: [(name: String, value: String)], service: String = "request-chat"
  ) async throws -> (serviceID: String, reply: JSONValue) {
    let created = try await form("/genesys/1/service/\(service)")
    guard let serviceID = created.json["_id"]?.string else {
      throw EndToEndFailure("no service instance: \(created.status) \(created.text)")
    }
    let started = try await form(Self.chat(serviceID), fields)
    guard started.status == 200 else {
      throw EndToEndFailure("the chat did not start: \(started.status) \(started.text)")
    }
    return (serviceID, started.json)
  }

  static func chat(_ serviceID: String, _ suffix: String = "") -> String {
    "/genesys/1/service/\(serviceID)/ixn/chat\(suffix)"
  }

  /// One request of the agent's; its reply's `position`.
  @discardableResult
  func agent(_ action: String, _ chatID: String, _ body: JSONValue = [:]) async throws -> Int? {
    let response = try await json("/agent/1/chats/\(chatID)/\(action)", body)
    guard response.status == 200 else {
      throw EndToEndFailure("the agent's \(action) was answered \(response.status): \(response.text)")
    }
    return response.json["position"]?.integer
  }
}

extension ServerProcess {
  /// The customer's side.
  func wire(user: String? = nil) -> Wire { Wire(port: port, headers: user.map { [("gms_user", $0)] } ?? []) }

  /// An agent's side.
  func agent(_ name: String = "k") -> Wire {
    Wire(port: port, headers: [("Authorization", "Bearer \(token(name))")])
  }
}

/// A JSON text written in a test.
func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }
