import NIOHPACK
import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  @Suite("HTTP/2 origin, server in order")
  struct AnswerTests {
    @Test("an answer comes with status, headers, body and the connection")
    func plain() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let outcome = await origin.send(.push("a", "status=410;body=300"))
      let response = try #require(outcome.response)
      #expect(response.status == 410)
      #expect(response.headers.first(name: "x-id") == "a")
      #expect(response.body == [UInt8](repeating: 0x78, count: 300))
      #expect(response.connection == HTTP2ConnectionID(1))
      let line = try await server.requested("a")
      #expect(line.text("method") == "POST")
      #expect(line.text("path") == "/3/device/a")
      #expect(line.text("scheme") == "https")
      #expect(line.text("authority") == "127.0.0.1:\(server.port)")
      await origin.shutdown()
    }

    @Test(
      "the whole answer counts, whatever comes before and after it",
      arguments: ["info", "trailers", "info;body=10;trailers", "delay=50", ""])
    func shapes(_ fault: String) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", fault)), "answered 200")
      check(await origin.send(.push("b", fault, body: 0)), "answered 200")
      await origin.shutdown()
    }

    @Test("a body above the limit is cut and the stream given up")
    func oversized() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.responseBytesMaximum = 1_000 }
      let outcome = await origin.send(.push("a", "body=1000000"))
      #expect(outcome.response?.body.count == 1_000)
      try await server.line { $0.event == "reset" && $0.number("code") == 8 }
      // What still comes for streams that were given up must not use up the connection's window.
      for number in 0..<40 {
        #expect(await origin.send(.push("\(number)", "body=1000000")).response?.body.count == 1_000)
      }
      #expect(await origin.send(.push("b", "body=1000")).response?.body.count == 1_000)
      #expect(origin.statistics.connections == 1)
      await origin.shutdown()
    }

    @Test("thousands of full answers do not exhaust the receive window")
    func window() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      for round in 0..<20 {
        let outcomes = await sendAll((0..<20).map { .push("\(round)-\($0)", "body=16000") }, over: origin)
        #expect(outcomes.allSatisfy { $0.response?.body.count == 16_000 })
      }
      #expect(server.connectionsMade <= 1)
      await origin.shutdown()
    }

    @Test("an answer before the whole body was taken ends the stream")
    func early() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", "early;status=413", body: 200_000)), "answered 413")
      try await server.line { $0.event == "reset" }
      check(await origin.send(.push("b")), "answered 200")
      try await until { origin.statistics.streams == 0 }
      await origin.shutdown()
    }

    @Test(
      "a broken answer is none, costs nothing but its stream, and ends that, also before the whole body was taken",
      arguments: [("broken", 0), ("broken;body=10", 20), ("early;broken", 200_000), ("early;status=abc", 200_000)])
    func broken(_ fault: String, _ body: Int) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let reason = fault.contains("broken") ? "answer broken" : "answer without status"
      for number in 0..<3 { check(await origin.send(.push("\(number)", fault, body: body)), "unknown: \(reason)") }
      try await until { origin.statistics.streams == 0 }
      check(await origin.send(.push("b")), "answered 200")
      #expect(origin.statistics.connections == 1)
      await origin.shutdown()
    }

    @Test("a large request body follows the server's window")
    func largeBody() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", body: 1_000_000)), "answered 200")
      await origin.shutdown()
    }

    @Test("bare HTTP/2 with prior knowledge, if it was allowed")
    func cleartext() async throws {
      let server = try await FaultyServer(mode: "plain")
      let settings = try HTTP2Settings(baseURL: "http://127.0.0.1:\(server.port)", allowsCleartext: true)
      let origin = try HTTP2Origin(settings)
      check(await origin.send(.push("a")), "answered 200")
      await origin.shutdown()
    }

    @Test(
      "what HTTP/2 cannot carry is not sent, and costs no connection",
      arguments: [
        ("X-Upper", "1"), ("connection", "close"), (":path", "/"), ("a b", "1"), ("x", "a\r\nb"), ("", "x"),
        ("x", " y"),
      ])
    func malformed(_ name: String, _ value: String) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let request = HTTP2Request(path: "/", headers: [name: value], body: [])
      check(await origin.send(request), "unprocessed: request malformed")
      check(await origin.send(HTTP2Request(path: "no slash", headers: [:], body: [])), "unprocessed: request malformed")
      #expect(origin.statistics.connections == 0)
      await origin.shutdown()
    }
  }
}
