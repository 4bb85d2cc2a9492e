import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  /// Spec: providers 2.1, streams and several connections.
  @Suite("HTTP/2 origin, server allows few streams")
  struct StreamLimitTests {
    @Test("one stream until an answer is proof, then all that are allowed")
    func oneStream() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin {
        $0.startsWithOneStream = true
        $0.isProof = { $0.status == 200 }
      }
      let requests = (0..<3).map { HTTP2Request.push("bad\($0)", "status=403;delay=20") }
      #expect(await sendAll(requests, over: origin).allSatisfy { $0.summary == "answered 403" })
      #expect(try await server.report().number("peak") == 1)
      async let good = sendAll((0..<20).map { .push("good\($0)", "hold") }, over: origin)
      try await server.requests(4)
      try await until { origin.statistics.waiting == 19 }
      try server.tell(["release": true])
      try await server.requests(23)
      try server.tell(["released": true])
      #expect(await good.allSatisfy { $0.summary == "answered 200" })
      let report = try await server.report()
      #expect(report.number("peak") == 19)
      #expect(report.number("made") == 1)
      await origin.shutdown()
    }

    @Test("each new connection starts with one stream again")
    func oneStreamAgain() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.startsWithOneStream = true }
      check(await origin.send(.push("a")), "answered 200")
      origin.retireAll()
      async let held = origin.send(.push("held", "hold"))
      _ = try await server.requested("held")
      async let waiting = origin.send(.push("waiting"))
      try await until { origin.statistics.waiting > 0 }
      try server.tell(["release": true])
      #expect(await held.response?.connection == HTTP2ConnectionID(2))
      #expect(await waiting.response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("a limit of one is kept, over as many connections as are allowed")
    func limitOne() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 1}"#)
      let origin = try server.origin { $0.connectionsMaximum = 3 }
      async let outcomes = sendAll((0..<60).map { .push("\($0)", "hold") }, over: origin)
      try await server.requests(3)
      try server.tell(["released": true])
      #expect(await outcomes.allSatisfy { $0.summary == "answered 200" })
      let report = try await server.report()
      #expect(report.number("peakPerConnection") == 1)
      #expect(report.number("made") == 3)
      #expect(!server.all.contains { $0.event == "violation" })
      await origin.shutdown()
    }

    @Test("a limit lowered under load, and raised again, is followed")
    func lowered() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 50}"#)
      let origin = try server.origin { $0.connectionsMaximum = 1 }
      async let first = sendAll((0..<50).map { .push("a\($0)", "hold") }, over: origin)
      _ = try await server.requested("a49")
      #expect(try await server.report().number("peak") == 50)
      try server.tell(["limit": 4])
      async let second = sendAll((0..<40).map { .push("b\($0)", "delay=5") }, over: origin)
      try await until { origin.statistics.waiting >= 40 }
      try server.tell(["release": true])
      #expect(await first.allSatisfy { $0.summary == "answered 200" })
      #expect(await second.allSatisfy { $0.summary == "answered 200" })
      // All of the second wave had to fit into four streams.
      _ = try await server.report()
      let open = server.all.filter { $0.request?.hasPrefix("b") == true }.map { $0.number("open") }
      #expect(open.count == 40)
      #expect(open.allSatisfy { $0 <= 4 })
      try server.tell(["limit": 10])
      check(await origin.send(.push("c")), "answered 200")
      async let third = sendAll((0..<40).map { .push("d\($0)", "hold") }, over: origin)
      try await server.requests(101)
      try server.tell(["released": true])
      #expect(await third.allSatisfy { $0.summary == "answered 200" })
      #expect(try await server.report().number("peak") == 10)
      #expect(!server.all.contains { $0.event == "violation" })
      await origin.shutdown()
    }

    @Test("a limit of zero makes requests wait, and then they were not processed")
    func zero() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 0}"#)
      let origin = try server.origin {
        $0.connectionsMaximum = 1
        $0.requestTimeout = .milliseconds(200)
      }
      check(await origin.send(.push("a")), "unprocessed: no stream was free in time")
      await origin.shutdown()
    }

    @Test("a server that names no limit gets at most a hundred at once on a connection")
    func noLimit() async throws {
      let server = try await FaultyServer(rules: #"{"limit": null}"#)
      let origin = try server.origin { $0.connectionsMaximum = 2 }
      async let outcomes = sendAll((0..<400).map { .push("\($0)", "hold") }, over: origin)
      try await server.requests(200)
      try server.tell(["released": true])
      #expect(await outcomes.allSatisfy { $0.summary == "answered 200" })
      let report = try await server.report()
      #expect(report.number("peakPerConnection") == 100)
      #expect(report.number("made") == 2)
      await origin.shutdown()
    }

    @Test("a full queue answers at once")
    func fullQueue() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 2}"#)
      let origin = try server.origin {
        $0.connectionsMaximum = 1
        $0.queueMaximum = 3
      }
      check(await origin.send(.push("warm")), "answered 200")
      let tasks = (0..<5).map { index in Task { await origin.send(.push("\(index)", "hold")) } }
      try await until { origin.statistics.waiting >= 3 && origin.statistics.streams >= 2 }
      check(await origin.send(.push("more")), "unprocessed: too many requests wait")
      try server.tell(["released": true])
      for task in tasks { check(await task.value, "answered 200") }
      await origin.shutdown()
    }

    @Test(
      "ENHANCE_YOUR_CALM halves the concurrency, a whole wave of it once, and only for a while",
      arguments: [(.seconds(3_600), 20), (.seconds(1), 60)] as [(Duration, Int)])
    func calm(_ duration: Duration, _ peak: Int) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.calm = duration }
      check(await origin.send(.push("warm")), "answered 200")
      async let wave = sendAll((0..<40).map { .push("a\($0)", "hold") }, over: origin)
      try await server.requests(41)
      try server.tell(["reset_held": 11])
      #expect(await wave.allSatisfy { $0.summary == "calm: enhance your calm" })
      _ = try await server.report()
      async let next = sendAll((0..<60).map { .push("b\($0)", "hold") }, over: origin)
      try await server.requests(41 + peak)
      try await until { origin.statistics.waiting == 60 - peak }
      try server.tell(["released": true])
      #expect(await next.allSatisfy { $0.summary == "answered 200" })
      let report = try await server.report()
      #expect(report.number("peak") == peak)
      #expect(report.number("made") == 1)
      await origin.shutdown()
    }

    @Test("surplus connections close when they have nothing to do, the last one stays")
    func surplus() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 5}"#)
      let origin = try server.origin { $0.surplusIdleTimeout = .milliseconds(300) }
      async let burst = sendAll((0..<100).map { .push("\($0)", "hold") }, over: origin)
      try await server.requests(20)
      try server.tell(["released": true])
      #expect(await burst.allSatisfy { $0.summary == "answered 200" })
      #expect(try await server.report().number("made") == 4)
      for number in 2...4 { try await server.line { $0.event == "closed" && $0.connection == number } }
      #expect(await origin.send(.push("z")).response?.connection == HTTP2ConnectionID(1))
      #expect(try await server.report().number("connections") == 1)
      await origin.shutdown()
    }
  }
}
