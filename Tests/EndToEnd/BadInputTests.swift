import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("Bad input over the wire", .timeLimit(.minutes(1)))
  struct BadInputTests {
    /// Where bodies are read.
    static let paths = ["/genesys/cometd", "/genesys/1/service/request-chat"]

    @Test("ten gigabytes are refused unread", arguments: paths)
    func announcedTooLarge(_ path: String) async throws {
      try await ServerProcess.run { server in
        let client = try await HTTPConversation.open(server.port)
        try await client.write("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 10737418240\r\n\r\n")
        let response = try await client.response()
        #expect(response.status == 413)
        #expect(response.json["exception"]?.string?.isEmpty == false)
        try await client.closure()
        try await stillLives(server)
      }
    }

    @Test("a chunked body is refused where it passes the limit", arguments: paths)
    func chunkedTooLarge(_ path: String) async throws {
      let options: ServerOptions = ["server": ["limits.body_bytes": "4096", "limits.comet_body_bytes": "4096"]]
      try await ServerProcess.run(options) { server in
        let client = try await HTTPConversation.open(server.port)
        try await client.write("POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        // No last chunk ever comes: the refusal does not wait for it.
        for _ in 0..<3 { try await client.write("800\r\n" + String(repeating: " ", count: 0x800) + "\r\n") }
        #expect(try await client.response().status == 413)
        try await client.closure()
        try await stillLives(server)
      }
    }

    @Test("texts that are no JSON, or too much of it, are 400 in bounded memory")
    func malformedJSON() async throws {
      try await ServerProcess.run { server in
        func nested(_ depth: Int) -> String {
          String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let handshake = #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]"#
        let bad: [(String, [UInt8])] = [
          ("nothing", []), ("an empty array", Array("[]".utf8)), ("a number", Array("17".utf8)),
          ("malformed", Array("[{\"channel\":".utf8)), ("rubbish behind", Array("[\(handshake)}] x".utf8)),
          ("nesting 65", Array("[\(handshake),\"ext\":\(nested(63))}]".utf8)),
          ("nesting 100,000", Array(nested(100_000).utf8)),
          ("a million digits", Array("[\(handshake),\"x\":\(String(repeating: "9", count: 1_000_000))}]".utf8)),
          (
            "a million digits behind a point",
            Array("[\(handshake),\"x\":0.\(String(repeating: "3", count: 1_000_000))}]".utf8)
          ),
          ("invalid UTF-8", Array("[\(handshake),\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)),
          (
            "a lone surrogate in UTF-8", Array("[\(handshake),\"x\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}]".utf8)
          ),
          ("control characters", Array("[\(handshake),\"x\":\"\u{1}\"}]".utf8)),
        ]
        try await stillLives(server)
        let before = try server.residentKiB()
        for (name, body) in bad {
          let response = try await server.wire().ask("POST", "/genesys/cometd", body, type: "application/json")
          #expect(response.status == 400, "\(name): \(response.status) \(response.text.prefix(200))")
          #expect(response.json["message"]?.string?.isEmpty == false, "\(name)")
        }
        for _ in 0..<10 {
          for (_, body) in bad where body.count > 1_000 {
            _ = try await server.wire().ask("POST", "/genesys/cometd", body, type: "application/json")
          }
        }
        #expect(try server.residentKiB() - before < 64 * 1_024)
        // Just within the bounds is fine.
        let deep = try await server.wire().comet("[\(handshake),\"ext\":\(nested(62))}]")
        #expect(deep.first?["successful"] == true)
        try await stillLives(server)
      }
    }

    @Test("JSON bodies of the REST surface are bounded in the same way")
    func malformedParameters() async throws {
      try await ServerProcess.run { server in
        let bad: [[UInt8]] = [
          Array("{".utf8), Array("{\"a\":\(String(repeating: "[", count: 70))".utf8),
          Array("{\"a\":\(String(repeating: "9", count: 1_000_000))}".utf8),
          Array("{\"a\":\"".utf8) + [0xFF, 0x22, 0x7D],
        ]
        for body in bad {
          let response = try await server.wire().ask(
            "POST", "/genesys/1/service/request-chat", body, type: "application/json")
          #expect(response.status == 400, "\(response.text.prefix(200))")
          #expect(response.json["exception"]?.string?.isEmpty == false)
        }
        try await stillLives(server)
      }
    }

    @Test("Bayeux refusals are 200 with three fields in the error")
    func bayeuxErrors() async throws {
      try await ServerProcess.run { server in
        let app = try await CometApp.online(server.wire(user: "u"))
        let id = app.clientID
        let cases: [(String, String)] = [
          (#"{"channel":"/meta/connect","clientId":"nobody","connectionType":"long-polling"}"#, "402::Unknown client"),
          (#"{"channel":"/meta/subscribe","clientId":"nobody","subscription":"/_genesys"}"#, "402::Unknown client"),
          (#"{"channel":"/meta/disconnect","clientId":"nobody"}"#, "402::Unknown client"),
          (#"{"clientId":"\#(id)"}"#, "400::channel_missing"),
          (#"{"channel":"/meta/subscribe","clientId":"\#(id)"}"#, "403::subscription_missing"),
          (#"{"channel":"/_genesys","clientId":"\#(id)","data":{}}"#, "403::publish_denied"),
        ]
        for (message, error) in cases {
          let replies = try await app.wire.comet(message)
          #expect(replies.count == 1 && replies[0]["successful"] == false)
          #expect(replies[0]["error"] == .string(error), "\(message)")
        }
        let denied = try await app.subscribe("/other")
        #expect(denied.first?["error"]?.string?.hasPrefix("403:") == true)
        #expect(denied.first?["error"]?.string?.hasSuffix(":subscribe_denied") == true)
      }
    }

    @Test("wrong methods are 405, unknown paths 404, an agent without a token 401, all in JSON")
    func routes() async throws {
      try await ServerProcess.run { server in
        let cases: [(String, String, Int)] = [
          ("GET", "/genesys/1/service/request-chat", 405), ("DELETE", "/genesys/1/service/x/ixn/chat/send", 405),
          ("PUT", "/genesys/cometd", 405), ("POST", "/health/live", 405), ("POST", "/metrics", 405),
          ("POST", "/agent/1/chats", 405), ("GET", "/nowhere", 404), ("POST", "/genesys/2/chat/x", 404),
          ("GET", "/genesys/1/service/x/ixn/chat/nothing", 404), ("GET", "/../../etc/passwd", 404),
          ("GET", "/%00", 404),
          ("GET", "/agent/1/chats", 401), ("GET", "/agent/1/chats/x/transcript", 401),
          ("POST", "/agent/1/chats/x/join", 401),
          ("GET", "/agent/1/events", 401), ("GET", "/agent/1/me", 401), ("PUT", "/agent/1/me", 401),
        ]
        for (method, path, status) in cases {
          let response = try await server.wire().ask(method, path)
          #expect(response.status == status, "\(method) \(path): \(response.text)")
          #expect(response.header("Content-Type") == "application/json;charset=UTF-8")
          #expect(
            response.json["message"]?.string?.isEmpty == false && response.json["exception"]?.string?.isEmpty == false)
          #expect((response.header("Allow") != nil) == (status == 405))
        }
        for header in ["Bearer", "Bearer x", "Basic \(server.token())", "Bearer \(server.token())x"] {
          let response = try await server.wire().ask("GET", "/agent/1/chats", headers: [("Authorization", header)])
          #expect(response.status == 401, "\(header.prefix(8))…")
        }
        #expect(try await server.agent().get("/agent/1/chats").status == 200)
      }
    }

    private func stillLives(_ server: ServerProcess) async throws {
      #expect(try await server.wire().get("/health/ready").status == 200)
    }
  }
}
