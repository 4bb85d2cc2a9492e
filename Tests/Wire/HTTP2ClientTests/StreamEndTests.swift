import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  /// Each row of "the rule that holds", against what the server says of itself. Spec: providers 7.
  @Suite("HTTP/2 origin, streams that end without an answer")
  struct StreamEndTests {
    @Test(
      "a reset means what its code says",
      arguments: [
        ("refuse", "unprocessed: stream refused", false), ("rst=8", "unknown: stream reset, code 8", true),
        ("rst=0", "unknown: stream reset, code 0", true), ("rst=2", "unknown: stream reset, code 2", true),
        ("rst=5", "unknown: stream reset, code 5", true), ("rst=13", "unknown: stream reset, code 13", true),
        ("rst=11", "calm: enhance your calm", true),
      ])
    func reset(_ fault: String, _ summary: String, _ isProcessed: Bool) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", fault)), summary)
      #expect(try await server.requested("a").isProcessed == isProcessed)
      check(await origin.send(.push("b")), "answered 200")
      #expect(server.connectionsMade == 1)
      await origin.shutdown()
    }

    @Test("a connection cut in mid-stream leaves the outcome unknown, and the next request gets a new one")
    func cut() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let outcomes = await sendAll([.push("a", "silent"), .push("b", "silent"), .push("c", "cut")], over: origin)
      #expect(outcomes.allSatisfy { $0.summary == "unknown: connection cut" })
      let next = await origin.send(.push("d"))
      #expect(next.response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("an answer whose length is a lie is unknown, and the connection stays")
    func broken() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", "badlength")), "unknown: answer broken")
      #expect(await origin.send(.push("b")).response?.connection == HTTP2ConnectionID(1))
      await origin.shutdown()
    }

    @Test("no answer in time is unknown, the stream is given up and the connection stays")
    func slow() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.requestTimeout = .seconds(4) }
      check(await origin.send(.push("a", "silent")), "unknown: timed out")
      try await server.line { $0.event == "reset" && $0.number("code") == 8 }
      let next = await origin.send(.push("b"))
      #expect(next.response?.connection == HTTP2ConnectionID(1))
      await origin.shutdown()
    }

    @Test("answers that come too late, to many streams at once, do not break the connection")
    func late() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 200}"#)
      let origin = try server.origin { $0.requestTimeout = .seconds(4) }
      let outcomes = await sendAll((0..<150).map { .push("\($0)", "delay=5000") }, over: origin)
      #expect(outcomes.allSatisfy { $0.summary == "unknown: timed out" })
      let next = await origin.send(.push("b", "delay=200"))
      #expect(next.response?.connection == HTTP2ConnectionID(1))
      await origin.shutdown()
    }

    @Test("a cancelled task gives its stream up")
    func cancelled() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let task = Task { await origin.send(.push("a", "silent")) }
      _ = try await server.requested("a")
      task.cancel()
      check(await task.value, "unknown: cancelled")
      try await server.line { $0.event == "reset" && $0.number("code") == 8 }
      check(await origin.send(.push("b")), "answered 200")
      try await until { origin.statistics == (connections: 1, streams: 0, waiting: 0) }
      await origin.shutdown()
    }

    @Test("a task that is cancelled before or while it waits was never sent")
    func cancelledWaiting() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 1}"#)
      let origin = try server.origin { $0.connectionsMaximum = 1 }
      let first = Task { await origin.send(.push("a", "hold")) }
      _ = try await server.requested("a")
      let second = Task { await origin.send(.push("b")) }
      try await until { origin.statistics.waiting > 0 }
      second.cancel()
      check(await second.value, "unprocessed: cancelled")
      let third = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await origin.send(.push("c"))
      }
      check(await third.value, "unprocessed: cancelled")
      try server.tell(["release": true])
      check(await first.value, "answered 200")
      try await until { origin.statistics.waiting == 0 }
      let report = try await server.report()
      #expect(report.number("requests") == 1)
      await origin.shutdown()
    }
  }
}
