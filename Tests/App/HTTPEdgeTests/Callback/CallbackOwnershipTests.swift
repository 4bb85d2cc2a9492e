import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Whose a callback is, on the wire", .timeLimit(.minutes(5)))
struct CallbackOwnershipTests {
  private func caller(_ server: ServerHarness, _ user: String?) async throws -> CallbackCaller {
    CallbackCaller(client: try await server.connect(), headers: user.map { "gms_user: \($0)\r\n" } ?? "")
  }

  private func start(_ caller: CallbackCaller, _ id: String) async throws -> RawClient.Response {
    try await caller.call("POST", "/genesys/1/service/\(id)/ixn/chat", #"{"nickname":"Guest"}"#)
  }

  private func send(_ caller: CallbackCaller, _ id: String) async throws -> Int {
    try await caller.call("POST", "/genesys/1/service/\(id)/ixn/chat/send", #"{"message":"x"}"#).status
  }

  @Test(
    "its id tells nobody the orderer's key, and opens no chat; what it tells opens this chat and nothing more",
    arguments: ["get-dialog-start-chat", "connect"])
  func takeover(action: String) async throws {
    try await ServerHarness.runCallbacks(["_media_type": "chat"]) { server, ann in
      let id = try await ann.order()
      let other = try await ann.json("POST", "/genesys/1/service/request-chat")["_id"]?.string ?? ""
      #expect(try await start(ann, other).status == 200)

      let thief = try await caller(server, nil)
      let dialog = try JSONValue(parsing: try await thief.act(id, action).body)
      let key = try #require(dialog["_user_header"]?.string)
      #expect(key != "user-5521" && key.count >= 20)
      #expect(
        try JSONValue(parsing: try await thief.act(id, "get-dialog-start-chat").body)["_user_header"]?.string == key)
      #expect(
        try JSONValue(parsing: try await ann.act(id, "get-dialog-start-chat").body)["_user_header"] == "user-5521")
      for stranger in [thief, try await caller(server, "ben")] {
        #expect(try await start(stranger, id).status == 404)
        #expect(try await stranger.call("GET", "\(CallbackCaller.path)/\(id)").status == 404)
      }
      #expect(try await caller(server, "ben").act(id, action).status == 404)

      // An app that comes from a push.
      let guest = try await caller(server, key)
      #expect(try await start(guest, id).status == 200)
      #expect(try await send(guest, id) == 200)
      #expect(try await send(ann, id) == 200)
      for stranger in [thief, try await caller(server, "ben")] { #expect(try await send(stranger, id) == 404) }
      #expect(try await send(guest, other) == 404)
      for (method, path) in [
        ("GET", "\(CallbackCaller.path)/\(id)"), ("DELETE", "\(CallbackCaller.path)/\(id)"),
        ("GET", "/genesys/1/service/\(id)/storage"), ("GET", "/genesys/1/service/\(other)/storage"),
      ] { #expect(try await guest.call(method, path).status == 404, "\(method) \(path)") }
      #expect(try await guest.json("GET", "/genesys/1/service/callback?_customer_number=%2B1") == [])
      #expect(try await guest.json("GET", "/devices/1") == [])
    }
  }

  @Test("an app that sends no header starts the chat inside where the service lets it")
  func oldApps() async throws {
    try await ServerHarness.runCallbacks(["_media_type": "chat", "_open_by_service_id": "true"]) { server, ann in
      let id = try await ann.order()
      let old = try await caller(server, nil)
      #expect(try await start(old, id).status == 200)
      #expect(try await send(old, id) == 200)
      #expect(try await send(try await caller(server, "ben"), id) == 404)
    }
  }
}
