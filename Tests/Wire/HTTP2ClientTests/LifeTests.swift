import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  @Suite("HTTP/2 origin, retired and shut down")
  struct LifeTests {
    @Test("a retired connection finishes what it has, what comes next gets a new one")
    func retire() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      async let held = origin.send(.push("held", "hold"))
      _ = try await server.requested("held")
      origin.retire(HTTP2ConnectionID(1))
      #expect(await origin.send(.push("next")).response?.connection == HTTP2ConnectionID(2))
      try server.tell(["release": true])
      #expect(await held.response?.connection == HTTP2ConnectionID(1))
      try await server.line { $0.event == "closed" && $0.connection == 1 }
      origin.retire(HTTP2ConnectionID(1))
      origin.retire(HTTP2ConnectionID(77))
      #expect(await origin.send(.push("again")).response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("all retired at once: none is used again, and idle ones close")
    func retireAll() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a")), "answered 200")
      origin.retireAll()
      #expect(await origin.send(.push("b")).response?.connection == HTTP2ConnectionID(2))
      try await server.line { $0.event == "closed" && $0.connection == 1 }
      await origin.shutdown()
    }

    @Test("a connection whose stream ids are used up is replaced")
    func lastStreamIDs() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      origin.core.firstStreamID = Limits.streamIDMaximum - 4
      for number in 0..<9 {
        let outcome = await origin.send(.push("\(number)"))
        #expect(outcome.response?.connection == HTTP2ConnectionID(UInt64(number / 3 + 1)))
      }
      await origin.shutdown()
    }

    @Test("shutdown answers what waits, lets written requests end, and leaves no connection")
    func shutdown() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 2}"#)
      let origin = try server.origin { $0.connectionsMaximum = 1 }
      check(await origin.send(.push("warm")), "answered 200")
      let tasks = ["a", "b", "c", "d"].map { id in Task { await origin.send(.push(id, "hold")) } }
      try await until { origin.statistics.waiting >= 2 && origin.statistics.streams >= 2 }
      async let done: Void = origin.shutdown(grace: .seconds(20))
      try await until { origin.statistics.waiting == 0 }
      _ = try await server.report()
      try server.tell(["release": true])
      await done
      var summaries: [String] = []
      for task in tasks { summaries.append(await task.value.summary) }
      #expect(summaries.count { $0 == "answered 200" } == 2)
      #expect(summaries.count { $0 == "unprocessed: shut down" } == 2)
      check(await origin.send(.push("e")), "unprocessed: shut down")
      await origin.shutdown()
      try await server.line { $0.event == "closed" }
      #expect(origin.statistics == (connections: 0, streams: 0, waiting: 0))
    }

    @Test("tasks cancelled at any moment leave no stream and nobody waiting")
    func cancelledAtRandom() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 20}"#)
      let origin = try server.origin { $0.connectionsMaximum = 2 }
      var random = SplitMix(state: 41)
      for round in 0..<10 {
        let tasks = (0..<60).map { index in
          Task { await origin.send(.push("\(round)-\(index)", "delay=\(index % 3 * 10)")) }
        }
        for task in tasks where random.next() % 2 == 0 {
          if random.next() % 8 == 0 { try await Task.sleep(for: .milliseconds(3)) }
          task.cancel()
        }
        for task in tasks {
          let summary = await task.value.summary
          #expect(["answered 200", "unprocessed: cancelled", "unknown: cancelled"].contains(summary))
        }
      }
      try await until { origin.statistics.streams == 0 && origin.statistics.waiting == 0 }
      check(await origin.send(.push("last")), "answered 200")
      #expect(try await server.report().number("made") <= 2)
      #expect(!server.all.contains { $0.event == "violation" })
      await origin.shutdown()
    }

    @Test("shutdown under load answers everything")
    func shutdownUnderLoad() async throws {
      let server = try await FaultyServer(rules: #"{"limit": 10}"#)
      let origin = try server.origin()
      let tasks = (0..<500).map { index in Task { await origin.send(.push("\(index)", "delay=\(index % 7 * 10)")) } }
      _ = try await server.line { $0.request != nil }
      await origin.shutdown(grace: .milliseconds(30))
      #expect(origin.statistics == (connections: 0, streams: 0, waiting: 0))
      for task in tasks {
        let summary = await task.value.summary
        #expect(["answered 200", "unprocessed: shut down", "unknown: shut down"].contains(summary))
      }
    }

    @Test("shutdown does not wait for a server that never answers longer than its grace")
    func shutdownWithoutAnswer() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      let task = Task { await origin.send(.push("a", "silent")) }
      _ = try await server.requested("a")
      await origin.shutdown(grace: .milliseconds(50))
      check(await task.value, "unknown: shut down")
    }

    @Test("shutdown while it connects tells those who wait")
    func shutdownConnecting() async throws {
      let server = try await FaultyServer(rules: #"{"freeze": true}"#)
      let origin = try server.origin()
      let task = Task { await origin.send(.push("a")) }
      try await until { origin.statistics.waiting > 0 }
      await origin.shutdown()
      check(await task.value, "unprocessed: shut down")
    }

    @Test("an origin that nobody holds any more closes its connections")
    func dropped() async throws {
      let server = try await FaultyServer()
      do {
        let origin = try server.origin()
        check(await origin.send(.push("a")), "answered 200")
      }
      try await server.line { $0.event == "closed" }
    }
  }
}

/// Random numbers that are the same in each run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
