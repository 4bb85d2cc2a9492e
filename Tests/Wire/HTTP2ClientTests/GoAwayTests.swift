import NIOHTTP2
import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  /// Spec: providers 2.1, GOAWAY 1 to 5.
  @Suite("HTTP/2 origin, server sends connections away")
  struct GoAwayTests {
    @Test("above the last stream id nothing was processed; what is at or below is waited for")
    func refusedAndWaited() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("warm")), "answered 200")
      async let held = origin.send(.push("held", "hold"))
      _ = try await server.requested("held")
      let refused = await origin.send(.push("refused", "goaway=refuse;word=Shutdown"))
      #expect(refused.summary == "unprocessed: goaway Shutdown")
      let next = await origin.send(.push("next"))
      #expect(next.response?.connection == HTTP2ConnectionID(2))
      try server.tell(["release": true])
      let waited = await held
      #expect(waited.summary == "answered 200")
      #expect(waited.response?.connection == HTTP2ConnectionID(1))
      try await server.line { $0.event == "closed" && $0.connection == 1 }
      await origin.shutdown()
    }

    @Test(
      "with an answer still to come, and a notice before, the request is answered", arguments: ["answer", "notice"])
    func answered(_ kind: String) async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", "goaway=\(kind)")), "answered 200")
      #expect(await origin.send(.push("b")).response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("at or below the last id and cut without an answer is unknown")
    func lost() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a", "goaway=lost")), "unknown: connection cut")
      check(await origin.send(.push("b")), "answered 200")
      await origin.shutdown()
    }

    @Test("at or below the last id and never answered is unknown after the request timeout, then the connection goes")
    func neverAnswered() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin { $0.requestTimeout = .seconds(5) }
      check(await origin.send(.push("warm")), "answered 200")
      async let silent = origin.send(.push("a", "silent"))
      _ = try await server.requested("a")
      try server.tell(["goaway": ["last": "current"] as [String: any Sendable]])
      check(await silent, "unknown: timed out")
      try await server.line { $0.event == "closed" }
      await origin.shutdown()
    }

    @Test("an idle connection that is sent away is replaced without a word")
    func idle() async throws {
      let server = try await FaultyServer()
      let origin = try server.origin()
      check(await origin.send(.push("a")), "answered 200")
      try server.tell(["goaway": ["last": "current", "close": true] as [String: any Sendable]])
      try await server.line { $0.event == "closed" }
      try await until { origin.statistics.connections == 0 }
      #expect(await origin.send(.push("b")).response?.connection == HTTP2ConnectionID(2))
      await origin.shutdown()
    }

    @Test("three in a row at the first request make the server unusable, until one is answered")
    func loop() async throws {
      let server = try await FaultyServer(rules: #"{"goaway_first": true}"#)
      let origin = try server.origin()
      var summaries: [String] = []
      for index in 0..<4 { summaries.append(await origin.send(.push("\(index)")).summary) }
      #expect(
        summaries == [
          "unprocessed: goaway", "unprocessed: goaway", "unusable: goaway loop", "unusable: goaway loop",
        ])
      try server.tell(["goaway_first": false])
      _ = try await server.report()
      check(await origin.send(.push("a")), "answered 200")
      try server.tell(["goaway_first": true])
      _ = try await server.report()
      try server.tell(["cut": true])
      try await server.line { $0.event == "closed" && $0.connection == 5 }
      try await until { origin.statistics.connections == 0 }
      check(await origin.send(.push("b")), "unprocessed: goaway")
      await origin.shutdown()
    }

    @Test("a loop tells everybody who waits, too")
    func loopWithQueue() async throws {
      let server = try await FaultyServer(rules: #"{"goaway_first": true}"#)
      let origin = try server.origin { $0.startsWithOneStream = true }
      let outcomes = await sendAll((0..<10).map { .push("\($0)") }, over: origin).map(\.summary)
      #expect(outcomes.count { $0 == "unprocessed: goaway" } == 2)
      #expect(outcomes.count { $0 == "unusable: goaway loop" } == 8)
      #expect(try await server.report().number("made") == 3)
      await origin.shutdown()
    }

    @Test(
      "its frame is understood",
      arguments: [
        (#"{"reason":"BadCertificate"}"#, "goaway BadCertificate"), (#"{ "reason" : "Shutdown" }"#, "goaway Shutdown"),
        (#"{"reason":"token=12/3"}"#, "goaway code 2"), ("rubbish", "goaway code 2"), ("", "goaway code 2"),
        (#"{"reason"#, "goaway code 2"),
      ])
    func words(_ body: String, _ reason: String) {
      let notice = GoAway(lastStreamID: 3, code: .internalError, opaque: [UInt8](body.utf8))
      #expect(notice.reason == reason)
      #expect(notice.refuses(5))
      #expect(!notice.refuses(3))
    }
  }
}
