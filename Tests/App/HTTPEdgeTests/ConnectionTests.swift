import Foundation
import Testing

@testable import HTTPEdge

@Suite("HTTP connection", .timeLimit(.minutes(5)))
struct ConnectionTests {
  /// Waits for heads no longer than this: long enough for a busy machine to write one after the connect.
  private static var impatient: EdgeLimits {
    var limits = EdgeLimits()
    limits.headTimeout = .seconds(4)
    return limits
  }

  @Test(
    "a body that is announced too large is refused before it is sent",
    arguments: ["/genesys/cometd", "/genesys/1/service/request-chat"])
  func announcedTooLarge(_ path: String) async throws {
    var limits = EdgeLimits()
    limits.bodyBytesMaximum = 1_000
    limits.cometBodyBytesMaximum = 1_000
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.write("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == 413)
      #expect(response.header("Connection") == "close")
      try await client.closure()
    }
  }

  @Test("a chunked body is refused where it exceeds the limit")
  func chunkedTooLarge() async throws {
    var limits = EdgeLimits()
    limits.bodyBytesMaximum = 10
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "8\r\n{\"a\":\"bc\r\n8\r\n12345678\r\n")
      #expect(try await client.response().status == 413)
      try await client.closure()
    }
  }

  @Test("100-continue is sent only where the body is welcome")
  func expectations() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
      #expect(try await client.response().status == 100)
      try await client.write("{}")
      #expect(try await client.response().status == 200)
      try await client.write(
        "POST /genesys/1/service/request-chat HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
          + "Content-Length: 99999999\r\n\r\n")
      #expect(try await client.response().status == 413)
    }
  }

  @Test("a head that drips is given up with 408")
  func drippingHead() async throws {
    try await ServerHarness.run(limits: Self.impatient) { server in
      let client = try await server.connect()
      try await client.write("GET /health/live HTT")
      let response = try await client.response()
      #expect(response.status == 408)
      try await client.closure()
    }
  }

  @Test("so is a head that drips on a connection that was good before")
  func drippingLaterHead() async throws {
    try await ServerHarness.run(limits: Self.impatient) { server in
      let client = try await server.connect()
      try await client.get("/health/live")
      #expect(try await client.response().status == 200)
      try await client.write("G")
      #expect(try await client.response().status == 408)
    }
  }

  @Test("a body that drips is given up with 408")
  func drippingBody() async throws {
    var limits = EdgeLimits()
    limits.bodyTimeout = .milliseconds(300)
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.write("POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n[{")
      #expect(try await client.response().status == 408)
      try await client.closure()
    }
  }

  @Test("an idle connection is closed without a word")
  func idle() async throws {
    var limits = EdgeLimits()
    limits.keepAliveTimeout = .milliseconds(300)
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.get("/health/live")
      #expect(try await client.response().status == 200)
      #expect(try await client.closure().isEmpty)
    }
  }

  @Test(
    "what is no HTTP, or too much of it, is refused",
    arguments: [
      ("NONSENSE\r\n\r\n", 400), ("GET / HTTP/1.1\r\nbad header\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n", 431),
      ("GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 150) + "\r\n", 431),
      ("GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414),
      ("PROPFIND / HTTP/1.1\r\nHost: x\r\n\r\n", 501),
      ("POST /genesys/cometd HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ])
  func malformed(_ request: String, _ status: Int) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write(request)
      let response = try await client.response()
      #expect(response.status == status)
      #expect(response.body.contains("\"exception\""))
    }
  }

  @Test("pipelined requests are answered in order, one at a time")
  func pipelining() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      let paths = ["/health/live", "/nowhere", "/health/ready", "/metrics"]
      try await client.write(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
      for status in [200, 404, 200, 200] { #expect(try await client.response().status == status) }
    }
  }

  @Test("more pipelined requests than fit end the connection instead of growing")
  func pipeliningWithoutEnd() async throws {
    var limits = EdgeLimits()
    limits.pipelinedPartsMaximum = 8
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.write(String(repeating: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
      try await client.closure()
    }
  }

  @Test("HEAD has the head of GET and no body")
  func head() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
      let response = try await client.response(withoutBody: true)
      #expect(response.status == 200)
      #expect(response.header("Content-Length") == "5")
      try await client.get("/metrics")
      #expect(try await client.response().body == "up 1\n")
    }
  }

  @Test("a client that closes its sending side still gets its answer, then the end")
  func halfClosure() async throws {
    var limits = EdgeLimits()
    // The answer waits for the disk.
    limits.departedClientGrace = .seconds(60)
    try await ServerHarness.run(limits: limits) { server in
      let client = try await server.connect()
      try await client.post("/genesys/1/service/request-chat", "{}")
      try await client.shutdownOutput()
      #expect(try await client.response().status == 200)
      try await client.closure()
    }
  }

  @Test("HTTP/1.0 and Connection: close end the connection")
  func closing() async throws {
    try await ServerHarness.run { server in
      for request in [
        "GET /health/live HTTP/1.0\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      ] {
        let client = try await server.connect()
        try await client.write(request)
        let response = try await client.response()
        #expect(response.status == 200)
        #expect(response.header("Connection") == "close")
        try await client.closure()
      }
    }
  }

  @Test("a connection above the limit is told so")
  func connectionLimit() async throws {
    var limits = EdgeLimits()
    limits.connectionsMaximum = 1
    try await ServerHarness.run(limits: limits) { server in
      let first = try await server.connect()
      try await first.get("/health/live")
      #expect(try await first.response().status == 200)
      let second = try await server.connect()
      let response = try await second.response()
      #expect(response.status == 503)
      #expect(response.header("Retry-After") != nil)
      try await second.closure()
    }
  }

  @Test("an upgrade that is not ours is ignored and the request answered")
  func foreignUpgrade() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.get(
        "/health/live", headers: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n")
      #expect(try await client.response().status == 200)
      try await client.closure()
    }
  }
}
