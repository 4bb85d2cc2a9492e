import Bayeux
import CometEngine
import JSONEnvelope
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs

/// Spec: Bayeux 1.0, "Multiple clients operation"; Bayeux reference, 15.
@Suite("Several Comet sessions of one browser", .timeLimit(.minutes(2)))
struct MultipleClientsTests {
  private func run(
    browsers: Int = 1, pause: Int = 2_000, _ body: (EngineRig) async throws -> Void
  ) async throws {
    let rig = try await EngineRig(
      directory: try EngineRig.temporaryDirectory(),
      sections: ["channels.news": ["patterns": "/news/*", "subscribe": "anyone", "publish": "anyone"]]
    ) {
      $0.browserSettings.sessionsPerBrowserMaximum = browsers
      $0.sessionSettings.multiSessionIntervalMilliseconds = pause
    }
    try await body(rig)
    await rig.stop()
  }

  /// Shaken, subscribed and connected once: its next connect is held if it may be.
  private func session(
    _ rig: EngineRig, user: String? = nil, _ link: ScriptedLink = ScriptedLink("a")
  ) async throws -> ScriptedClient {
    let client = ScriptedClient(rig.engine.comet, user: user, link: link)
    try await client.handshake()
    for request in [
      #"{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/news/*"}"#,
      #"{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling"}"#,
    ] {
      let replies = try await client.ask("[\(request)]")
      #expect(replies.first?["successful"] == true, "\(request): \(replies)")
    }
    return client
  }

  /// A poll that is held.
  private func held(_ client: ScriptedClient, _ rig: EngineRig) async throws -> ScriptedSink {
    let poll = try client.poll()
    while await !rig.engine.comet.isHolding(client.clientID ?? ""), !poll.isAnswered { await Task.yield() }
    #expect(!poll.isAnswered)
    return poll
  }

  /// How the first of two sessions makes room.
  enum Leaving: CaseIterable {
    case disconnects, closes, isDismissed, isAnswered
  }

  @Test(
    "a second one is not held but told so; when the first has left, it is, and is told that all is well",
    arguments: Leaving.allCases)
  func leaving(_ leaving: Leaving) async throws {
    try await run { rig in
      let comet = rig.engine.comet
      let (first, second) = (try await session(rig, user: "ann"), try await session(rig))
      let poll = try await held(first, rig)
      for _ in 1...2 {
        let told = try await second.connect()
        #expect(
          told.last?["advice"]
            == ["reconnect": "retry", "interval": 2_000, "timeout": 30_000, "multiple-clients": true], "\(told)")
        #expect(told.last?["successful"] == true)
      }
      #expect(comet.placesTaken == 1)

      switch leaving {
      case .disconnects: _ = try await first.ask(#"[{"channel":"/meta/disconnect","clientId":"$ID"}]"#)
      case .closes: poll.leave()
      case .isDismissed: await comet.dismiss(userKey: "ann")
      case .isAnswered:
        _ = try await second.ask(#"[{"channel":"/news/a","clientId":"$ID","data":1}]"#)
        _ = try await poll.reply()
      }
      while comet.placesTaken > 0 { await Task.yield() }

      let resumed = try await held(second, rig)
      #expect(comet.placesTaken == 1)
      _ = try await ScriptedClient(rig, user: nil, clientID: second.clientID).ask(
        #"[{"channel":"/news/a","clientId":"$ID","data":2},{"channel":"/meta/connect","clientId":"$ID"}]"#)
      #expect(try await resumed.reply().last?["advice"] == ["reconnect": "retry", "interval": 0, "timeout": 30_000])
      while comet.placesTaken > 0 { await Task.yield() }
    }
  }

  @Test(
    "other browsers, no cookie, HTTP/2 and WebSockets are held beside it, and polls by scripts are not",
    arguments: [
      (ScriptedLink("b"), true, 2), (ScriptedLink(), true, 1), (ScriptedLink("a", isMultiplexed: true), true, 1),
      (ScriptedLink("a", .webSocket), true, 1), (ScriptedLink("a", .callbackPolling), false, 1),
    ])
  func beside(link: ScriptedLink, isHeld: Bool, places: Int) async throws {
    try await run { rig in
      let (first, second) = (try await session(rig), try await session(rig, link))
      let poll = try await held(first, rig)
      if isHeld {
        _ = try await held(second, rig)
      } else {
        #expect(try await second.connect().last?["advice"]?["multiple-clients"] == true)
      }
      #expect(rig.engine.comet.placesTaken == places)
      #expect(!poll.isAnswered)
    }
  }

  @Test(
    "as many are held as may be", arguments: [(0, 0), (1, 1), (2, 2), (-1, 3)])
  func allowance(maximum: Int, held count: Int) async throws {
    try await run(browsers: maximum) { rig in
      for number in 1...3 {
        let client = try await session(rig)
        if number <= count {
          _ = try await held(client, rig)
        } else {
          #expect(try await client.connect().last?["advice"]?["multiple-clients"] == true)
        }
      }
    }
  }

  @Test("a session's own newer connect takes the place of the older one")
  func newer() async throws {
    try await run { rig in
      let client = try await session(rig)
      let older = try await held(client, rig)
      let newer = try client.poll()
      #expect(try await older.reply().last?["advice"] == nil)
      #expect(await rig.engine.comet.isHolding(client.clientID ?? ""))
      #expect(!newer.isAnswered && rig.engine.comet.placesTaken == 1)
    }
  }

  @Test("without a pause a second one is refused")
  func refused() async throws {
    try await run(pause: 0) { rig in
      let (first, second) = (try await session(rig), try await session(rig))
      _ = try await held(first, rig)
      let reply = try await second.connect().last
      #expect(reply?["successful"] == false)
      #expect(reply?["error"] == "403::multiple_clients")
      #expect(reply?["advice"]?["reconnect"] == "none")
    }
  }
}
