import Testing

@testable import HTTPEdge

@Suite("Methods that a path does not have", .timeLimit(.minutes(5)))
struct MethodTests {
  @Test(
    "what HTTP knows is answered with 405 and the methods that there are, what it does not know with 501",
    arguments: [
      ("TRACE", "/health/live", 405, "GET, HEAD, OPTIONS"), ("TRACE", "/devices/1", 405, "GET, HEAD, OPTIONS, POST"),
      ("TRACE", "/genesys/cometd", 405, "POST, GET, OPTIONS"), ("TRACE", "/gcm/send", 405, "POST, OPTIONS"),
      ("TRACE", "/device/1/socket", 405, "GET"), ("TRACE", "/agent/1/socket", 405, "GET"),
      ("PATCH", "/agent/1/me", 405, "GET, HEAD, OPTIONS, PUT"),
      ("TRACE", "/nowhere", 404, nil), ("PROPFIND", "/health/live", 501, nil),
    ] as [(String, String, Int, String?)])
  func refused(_ method: String, _ path: String, _ status: Int, _ allow: String?) async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == status)
      #expect(response.header("Allow") == allow)
    }
  }
}
