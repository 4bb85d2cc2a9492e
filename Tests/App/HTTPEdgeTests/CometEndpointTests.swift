import Engine
import ServerKit
import ServiceLifecycle
import Testing

@testable import HTTPEdge

@Suite("Comet endpoint", .timeLimit(.minutes(5)))
struct CometEndpointTests {
  @Test("a handshake is answered with an array, a cookie and the headers of every reply")
  func handshake() async throws {
    try await ServerHarness.run(origins: .any) { server in
      let client = try await server.connect()
      try await client.post(
        "/genesys/cometd/handshake?x=1",
        #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}"#,
        headers: "Origin: https://shop.test\r\n")
      let response = try await client.response()
      #expect(response.status == 200)
      #expect(response.body.hasPrefix("[{") && response.body.hasSuffix("}]"))
      #expect(response.header("Content-Type") == "application/json;charset=UTF-8")
      #expect(response.header("Cache-Control") == "no-cache, no-store")
      #expect(response.header("Pragma") == "no-cache")
      #expect(response.header("Access-Control-Allow-Origin") == "https://shop.test")
      #expect(response.header("Access-Control-Allow-Credentials") == "true")
      #expect(response.header("Set-Cookie")?.hasPrefix("BAYEUX_BROWSER=") == true)
    }
  }

  @Test("with timestamp every message of the server says when it was sent, and is the same otherwise")
  func timestamp() async throws {
    try await ServerHarness.run(configureEngine: { $0.cometExtensions.addsTimestamp = true }) { server in
      let client = try await server.connect()
      let id = try await server.cometSession(client)
      let subscribe = #"{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/**","id":"7"}"#
      let connect = #"{"channel":"/meta/connect","clientId":"\#(id)","connectionType":"long-polling","id":"8"}"#
      try await client.post("/genesys/cometd", "[\(subscribe),\(connect)]", headers: "gms_user: user\r\n")
      let body = try await client.response().body
      let stamp = /\{"timestamp":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{2}",/
      #expect(body.matches(of: stamp).count == 2)
      #expect(
        body.replacing(stamp, with: "{")
          == #"[{"id":"7","channel":"/meta/subscribe","successful":true,"clientId":"\#(id)","subscription":"/**"},"#
          + #"{"id":"8","channel":"/meta/connect","successful":true}]"#)
    }
  }

  @Test(
    "what is no Bayeux request is refused",
    arguments: ["", "[]", "[", "nonsense", "[1]", #"[{"channel":"/meta/handshake"}]x"#])
  func malformed(_ body: String) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.post("/genesys/cometd", body)
      let response = try await client.response()
      #expect(response.status == 400)
      #expect(response.body.contains("\"message\"") && response.body.contains("\"exception\""))
      // The connection is none the worse for it.
      try await client.get("/health/live")
      #expect(try await client.response().status == 200)
    }
  }

  @Test("other methods are refused with what is allowed")
  func methods() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write("PUT /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]")
      let response = try await client.response()
      #expect(response.status == 405)
      #expect(response.header("Allow")?.contains("POST") == true)
      try await client.get("/genesys/cometd")
      #expect(try await client.response().status == 400)
    }
  }

  @Test("a preflight is answered without credentials", arguments: ["/genesys/cometd/connect", "/genesys/1/service/x"])
  func preflight(_ path: String) async throws {
    let options = ["server": ["username": "u", "password": "p"]]
    try await ServerHarness.run(options: options, origins: .listed(["http://a.test"])) { server in
      let client = try await server.connect()
      try await client.write(
        "OPTIONS \(path) HTTP/1.1\r\nHost: x\r\nOrigin: http://a.test\r\nAccess-Control-Request-Method: POST\r\n\r\n")
      let response = try await client.response(withoutBody: true)
      #expect(response.status == 204)
      #expect(response.header("Access-Control-Allow-Origin") == "http://a.test")
      #expect(response.header("Access-Control-Allow-Headers")?.contains("gms_user") == true)
      #expect(response.header("Access-Control-Allow-Methods")?.contains("POST") == true)
      try await client.get("/health/live")
      #expect(try await client.response().status == 200)
    }
  }

  @Test("the server's credentials cover the endpoint; a refusal keeps the connection and its CORS headers")
  func credentials() async throws {
    let options = ["server": ["username": "u", "password": "p"]]
    try await ServerHarness.run(options: options, origins: .listed(["http://a.test"])) { server in
      let client = try await server.connect()
      let handshake = #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}]"#
      try await client.post("/genesys/cometd", handshake, headers: "Origin: http://a.test\r\n")
      let refused = try await client.response()
      #expect(refused.status == 401)
      #expect(refused.header("WWW-Authenticate") == "Basic realm=\"genesys\"")
      #expect(refused.header("Access-Control-Allow-Origin") == "http://a.test")
      try await client.post("/genesys/cometd", handshake, headers: "Authorization: Basic dTpw\r\n")
      #expect(try await client.response().status == 200)
    }
  }

  @Test("a held poll is answered by an event, and the connection goes on")
  func heldPoll() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      let rest = try await server.connect()
      try await rest.post("/genesys/1/service/request-chat", "")
      let serviceID = try #require(try await rest.response().body.split(separator: "\"").dropFirst(3).first)
      try await rest.post(
        "/genesys/1/service/\(serviceID)/ixn/chat", #"{"notify_by":"comet","nickname":"Guest 7"}"#,
        headers: "gms_user: user\r\n")
      #expect(try await rest.response().status == 200)
      let echo = try await client.response()
      #expect(echo.body.contains(#"["Notice.Joined","Guest 7","has joined the session","0","CLIENT"]"#))
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      try await rest.post(
        "/genesys/1/service/\(serviceID)/ixn/chat/send", #"{"message":"hello"}"#,
        headers: "gms_user: user\r\n")
      #expect(try await rest.response().status == 200)
      let poll = try await client.response()
      #expect(poll.status == 200)
      #expect(poll.body.contains(#""Guest 7","hello""#))
      try await client.get("/health/live")
      #expect(try await client.response().status == 200)
    }
  }

  @Test("a client that leaves a held poll frees it long before the poll's time is up", arguments: [true, false])
  func leaving(_ abruptly: Bool) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      try await server.holdsPolls(1)
      let started = ContinuousClock.now
      if abruptly {
        await client.close()
      } else {
        try await client.shutdownOutput()
        #expect(try await client.closure().isEmpty)
      }
      try await server.holdsPolls(0)
      try await until { server.server.connectionCount == 0 }
      #expect(ContinuousClock.now - started < .seconds(20))
    }
  }

  @Test("a request behind a held poll waits for it")
  func pipelinedBehindPoll() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      try await client.get("/health/live")
      try await server.holdsPolls(1)
      let other = try await server.connect()
      // A second connect releases the first.
      try await other.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      #expect(try await client.response().body.contains("/meta/connect"))
      #expect(try await client.response().body.contains("live"))
    }
  }

  @Test("an engine that drains answers what is held; a new poll is told to come later")
  func draining() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      try await server.holdsPolls(1)
      await server.engine.drain()
      let poll = try await client.response()
      #expect(poll.status == 200)
      #expect(poll.body.contains("/meta/connect"))
      try await client.get("/health/ready")
      #expect(try await client.response().status == 503)
      try await client.post("/genesys/cometd/connect", server.connect(clientID))
      #expect(try await client.response().status == 503)
    }
  }

  @Test("a graceful stop closes idle connections, answers held polls, and takes nobody new")
  func stopping() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let clientID = try await server.cometSession(client)
      try await client.post("/genesys/cometd/connect", server.connect(clientID), headers: "gms_user: user\r\n")
      let idle = try await server.connect()
      try await idle.get("/health/live")
      #expect(try await idle.response().status == 200)
      try await server.holdsPolls(1)
      await server.services.triggerGracefulShutdown()
      #expect(try await client.response().body.contains("/meta/connect"))
      try await client.closure()
      try await idle.closure()
      await #expect(throws: (any Error).self) { try await server.connect() }
    }
  }
}
