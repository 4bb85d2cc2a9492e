import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPEdge

@Suite("HTTP connection, what a request must say", .timeLimit(.minutes(5)))
struct StrictHTTPTests {
  @Test(
    "a request names one host, and names it well",
    arguments: [
      ("", 400), ("Host: x\r\nHost: x\r\n", 400), ("Host: x\r\nhOST: y\r\n", 400), ("Host: \r\n", 400),
      ("Host: a b\r\n", 400), ("Host: a/b\r\n", 400), ("Host: a,b\r\n", 400), ("Host: u@a\r\n", 400),
      ("Host: a:b\r\n", 400), ("Host: a:1:2\r\n", 400), ("Host: [::1\r\n", 400), ("Host: [x]\r\n", 400),
      ("Host: a\"b\r\n", 400), ("Host: ::1\r\n", 400), ("Host: \u{FC}.test\r\n", 400), ("Host: [::1]8080\r\n", 400),
      ("Host: x\r\n", 200), ("Host: shop.example.com:8443 \r\n", 200), ("HOST: [2001:db8::1]:80\r\n", 200),
      ("Host: 192.0.2.1\r\n", 200), ("Host: a_b.xn--bcher-kva.test:\r\n", 200),
    ])
  func hosts(_ fields: String, _ status: Int) async throws {
    try await ServerHarness.run { server in
      for path in ["/health/live", "/genesys/cometd"] {
        let client = try await server.connect()
        let method = path == "/health/live" ? "GET" : "OPTIONS"
        try await client.write("\(method) \(path) HTTP/1.1\r\n\(fields)\r\n")
        let response = try await client.response()
        #expect(response.status == (status == 200 && method == "OPTIONS" ? 204 : status), "\(fields)")
        if status == 400 { try await client.closure() }
        await client.close()
      }
    }
  }

  @Test(
    "a target with scheme and server is the same resource, if it is this server",
    arguments: [
      ("http://chat.test/health/live", 200), ("HTTP://CHAT.test/health/live?x", 200),
      ("http://other.test/health/live", 400),
      ("http://chat.test@other.test/health/live", 400), ("http://chat.test", 302), ("http://chat.test?x", 302),
    ])
  func absoluteTargets(_ target: String, _ status: Int) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write("GET \(target) HTTP/1.1\r\nHost: chat.test\r\n\r\n")
      #expect(try await client.response().status == status)
    }
  }

  @Test("HTTP/1.0 knows no Host, but two are too many there as well")
  func oldVersion() async throws {
    try await ServerHarness.run { server in
      for (fields, status) in [("", 200), ("Host: x\r\nHost: x\r\n", 400)] {
        let client = try await server.connect()
        try await client.write("GET /health/live HTTP/1.0\r\n\(fields)\r\n")
        #expect(try await client.response().status == status)
      }
    }
  }

  @Test(
    "a transfer coding that we cannot undo is not taken for none",
    arguments: [
      ("gzip, chunked", 501), ("gzip", 501), ("identity", 501), ("chunked;q=1", 501), ("x-custom,chunked", 501),
      ("chunked, chunked", 400), ("chunked", 200), ("Chunked", 200),
    ])
  func codings(_ coding: String, _ status: Int) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\r\n\r\n"
          + "2\r\n{}\r\n0\r\n\r\n")
      #expect(try await client.response().status == status)
      if status != 200 { try await client.closure() }
    }
  }

  @Test("extensions of chunks end where a head would", arguments: ["1;", "0000000000000000;", "0\r\nX-Trailer: "])
  func endlessExtensions(_ start: String) async throws {
    var limits = EdgeLimits()
    limits.bodyTimeout = .seconds(600)
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(start)")
      // The answer comes before the last of it, and so may the connection's end.
      try? await client.write(String(repeating: "a", count: 200_000))
      #expect(try await client.response().status == 431)
      try await client.closure()
    }
  }

  @Test("many small chunks are no excess, and short extensions are passed over")
  func smallChunks() async throws {
    var limits = EdgeLimits()
    limits.headBytesMaximum = 1_024
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      let text = #"{"a":"\#(String(repeating: "b", count: 3_000))"}"#
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
          + text.map { "1\r\n\($0)\r\n" }.joined() + "0;name=value\r\nX-Trailer: 1\r\n\r\n")
      #expect(try await client.response().status == 200)
    }
  }

  @Test(
    "nobody guesses what an answer is, whoever gives it",
    arguments: [
      "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", "NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      "OPTIONS /genesys/cometd HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
      "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{",
      "POST /gcm/send HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
      "POST /v1/projects/p/messages:send HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
      "GET /agent/1/chats HTTP/1.1\r\nHost: x\r\n\r\n", "GET /api/v2/requests HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /attachments/token/x HTTP/1.1\r\nHost: x\r\n\r\n", "GET /genesys/1/storage/x/y HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
      "GET /genesys/cometd HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ])
  func nosniff(_ request: String) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write(request)
      let response = try await client.response(withoutBody: true)
      #expect(
        response.head.lowercased().split(separator: "x-content-type-options: nosniff").count == 2, "\(response.head)")
      await client.close()
    }
  }

  @Test("as long as nothing else is said, pages of other origins may not read what the server answers")
  func otherOrigins() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      for request in ["OPTIONS /genesys/cometd", "OPTIONS /api/v2/requests", "GET /genesys/1/service/callback/x"] {
        try await client.write("\(request) HTTP/1.1\r\nHost: x\r\nOrigin: https://shop.test\r\n\r\n")
        let head = try await client.response().head
        #expect(!head.contains("Access-Control-Allow"), "\(request)")
      }
    }
  }

  @Test("nor a refusal of one connection too many")
  func refusedConnection() async throws {
    var limits = EdgeLimits()
    limits.connectionsMaximum = 1
    try await ServerHarness.run(limits: limits) { server in
      let first = try await server.connect()
      try await first.get("/health/live")
      _ = try await first.response()
      let second = try await server.connect()
      #expect(try await second.response().header("X-Content-Type-Options") == "nosniff")
    }
  }

  @Test("browsers are told of TLS where the operator says so", arguments: [0, 31_536_000])
  func strictTransport(seconds: Int) {
    var buffer = ByteBuffer()
    SecurityFields(strictTransportSeconds: seconds).write(into: &buffer)
    let text = String(buffer: buffer)
    #expect(text.contains("Strict-Transport-Security: max-age=31536000\r\n") == (seconds > 0))
    #expect(text.hasPrefix("X-Content-Type-Options: nosniff\r\n") && text.hasSuffix("\r\n"))
  }

  @Test(
    "pages of the server's own may open sockets, others as the operator has it",
    arguments: [
      ("http://chat.test:8080", "chat.test:8080", true), ("https://CHAT.test", "chat.test", true),
      ("http://chat.test", "chat.test:8080", false), ("http://evil.test", "chat.test", false),
      ("null", "null", false), ("http://chat.test.evil.test", "chat.test", false), ("", "", false),
    ])
  func ownPages(_ origin: String, _ host: String, _ isOwn: Bool) {
    #expect(OriginPolicy.isOrigin(origin, of: host) == isOwn)
  }
}
