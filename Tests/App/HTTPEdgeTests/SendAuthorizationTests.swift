import Engine
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Who may send", .timeLimit(.minutes(5)))
struct SendAuthorizationTests {
  @Test("without a good key there is a page titled Unauthorized")
  func unauthorized() async throws {
    try await SendRig.run { rig in
      let agent = try rig.server.tokens.create(name: "anna", role: .agent)
      for authorization in ["", "key=", "key=wrong", rig.key, "Basic \(rig.key)", "key=\(agent)", "Bearer cat_x.1.y"] {
        let answer = try await rig.send(#"{"to":"t"}"#, authorization: authorization)
        #expect(answer.status == 401)
        #expect(answer.body.contains("<title>Unauthorized</title>"))
        let v1 = try await rig.send("{}", path: "/v1/projects/p/messages:send", authorization: authorization)
        #expect(v1.status == 401)
        #expect(v1.json["error"]?["status"] == "UNAUTHENTICATED")
      }
    }
  }

  @Test("the key is good as key= and as Bearer, for both protocols")
  func schemes() async throws {
    try await SendRig.run { rig in
      for scheme in ["key=", "Key=", "Bearer ", "bearer "] {
        #expect(try await rig.send(#"{"to":"t"}"#, authorization: scheme + rig.key).status == 200)
        let v1 = try await rig.send(
          #"{"message":{"token":"\#(rig.token)"}}"#, path: "/v1/projects/any/messages:send",
          authorization: scheme + rig.key)
        #expect(v1.status == 200)
      }
    }
  }

  @Test("a revoked key is refused soon after")
  func revoked() async throws {
    try await SendRig.run { rig in
      #expect(try await rig.send(#"{"to":"t"}"#).status == 200)
      try rig.server.tokens.revoke("shop")
      // No sleep: what the key store may believe for some milliseconds is over some requests later.
      while try await rig.send(#"{"to":"t"}"#).status != 401 {}
    }
  }

  @Test("a key with addresses is good from those alone")
  func addresses() async throws {
    try await SendRig.run(allowedAddresses: ["192.0.2.1"]) { rig in
      let answer = try await rig.send(#"{"to":"t"}"#)
      #expect(answer.status == 401)
    }
    try await SendRig.run(allowedAddresses: ["192.0.2.1", "127.0.0.1"]) { rig in
      let answer = try await rig.send(#"{"to":"t"}"#)
      #expect(answer.status == 200)
    }
  }

  @Test("a sender's key opens neither chats nor the operator's surface")
  func otherSurfaces() async throws {
    try await SendRig.run { rig in
      let client = try await rig.server.connect()
      for path in ["/agent/1/chats", "/admin/1/devices", "/admin/1/senders/1/faults"] {
        try await client.get(path, headers: "Authorization: Bearer \(rig.key)\r\n")
        #expect(try await client.response().status == 403)
      }
    }
  }

  @Test("a test sender's script meets its requests, one after the other")
  func faults() async throws {
    try await SendRig.run(isTest: true) { rig in
      let ops = try rig.server.tokens.create(name: "ops", role: .admin)
      let client = try await rig.server.connect()
      func call(_ method: String, _ body: String = "", sender: String = SendRig.sender) async throws
        -> RawClient.Response
      {
        try await client.write(
          "\(method) /admin/1/senders/\(sender)/faults HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ops)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await client.response()
      }
      let script = """
        {"faults":[{"error":"Unavailable"},{"status":503,"retryAfterSeconds":7},{"status":401},\
        {"delayMilliseconds":1},{"error":"NotRegistered"},{"error":"DeviceMessageRateExceeded","count":2}]}
        """
      let made = try await call("PUT", script)
      #expect(made.status == 200)
      #expect(made.json["faults"]?.array?.count == 7)
      let message = #"{"registration_ids":["\#(rig.token)","x"]}"#
      #expect(
        try await rig.send(message).json["results"] == [["error": "Unavailable"], ["error": "Unavailable"]])
      let busy = try await rig.send(message)
      #expect(busy.status == 503)
      #expect(busy.header("Retry-After") == "7")
      #expect(try await rig.send(message).status == 401)
      #expect(try await rig.send(message).json["success"] == 1)
      let plain = try await rig.send("registration_id=\(rig.token)", type: "")
      #expect(plain.body == "Error=NotRegistered\n")
      let v1 = try await rig.send(
        #"{"message":{"token":"\#(rig.token)"}}"#, path: "/v1/projects/p/messages:send")
      #expect(v1.status == 429)
      #expect(try await call("GET").json["faults"]?.array?.count == 1)
      #expect(try await call("DELETE").status == 204)
      #expect(try await rig.send(message).json["success"] == 1)
      #expect(try await call("PUT", script, sender: "42").status == 404)
      for wrong in [
        #"{}"#, #"{"faults":[5]}"#, #"{"faults":[{"error":"Nope"}]}"#, #"{"faults":[{"status":200}]}"#,
        #"{"faults":[{"status":500,"error":"Unavailable"}]}"#, #"{"faults":[{"count":1001}]}"#,
      ] {
        #expect(try await call("PUT", wrong).status == 400)
      }
    }
  }

  @Test("a script does not meet a sender that is not in test mode")
  func noTestMode() async throws {
    try await SendRig.run { rig in
      rig.server.engine.messaging.setFaults([.init(kind: .status(500))], of: SendRig.sender)
      let answer = try await rig.send(#"{"to":"t"}"#)
      #expect(answer.status == 200)
    }
  }
}
