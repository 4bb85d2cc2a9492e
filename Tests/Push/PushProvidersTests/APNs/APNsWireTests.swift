import EventSourcing
import Foundation
import JSONEnvelope
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

/// `apns.py` and a provider that talks to it.
struct APNsStage: Sendable {
  let standIn: StandIn
  let provider: APNsProvider

  static func run(
    _ arguments: [String] = [], store: (any ProviderTokenStore)? = nil,
    _ body: @Sendable (APNsStage) async throws -> Void
  ) async throws {
    let standIn = try await StandIn.start("apns.py", arguments)
    let provider = APNsProvider(tokenStore: store)
    let result: Result<Void, any Error>
    do { result = .success(try await body(APNsStage(standIn: standIn, provider: provider))) } catch {
      result = .failure(error)
    }
    await provider.shutdown()
    standIn.stop()
    try result.get()
  }

  func text(_ name: String) -> String { standIn.hello[name] as? String ?? "" }
  var rows: [String: String] { standIn.hello["rows"] as? [String: String] ?? [:] }

  var options: [String: String] {
    [
      "apple.key_file": text("key"), "apple.key_id": text("key_id"), "apple.team_id": text("team_id"),
      "apple.topic": text("topic"), "apple.base_url": "https://localhost:\(standIn.port)", "apple.ca_file": text("ca"),
      "apple.connections": "2",
    ]
  }

  func deliver(
    _ token: String = MobileSamples.deviceToken, _ changes: [String: String] = [:], now: Timestamp = .wallClock,
    display: PushDisplay? = nil, by other: APNsProvider? = nil
  ) async -> PushOutcome {
    let message = MobileSamples.message(MobileSamples.ios(token), collapseKey: "chat-1", display: display)
    let options = options.merging(changes) { $1 }.filter { !$0.value.isEmpty }
    return await (other ?? provider).deliver(MobileSamples.delivery(message, options, now: now))
  }

  /// Sends a command and waits until it holds.
  func rule(_ command: [String: any Sendable]) async throws {
    try standIn.send(command)
    while let line = await standIn.next() { if line["ruled"] != nil { return } }
    Issue.record("the stand-in did not take the command")
  }

  /// The next request that it got.
  func request() async -> [String: any Sendable] { await standIn.next() ?? [:] }
}

extension Timestamp {
  static var wallClock: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}

@Suite("APNs over the wire", .serialized)
struct APNsWireTests {
  @Test("a chat push arrives over HTTP/2 as GMS prints it, under the push's id")
  func delivered() async throws {
    try await APNsStage.run { stage in
      #expect(await stage.deliver() == .delivered(id: MobileSamples.pushID))
      #expect(stage.provider.laneReports.first?.connections == 1)
      let request = await stage.request()
      #expect(request["version"] as? String == "2")
      #expect(
        request["body"] as? String
          == #"{"aps":{"alert":{"body":"New message from Agent"}},"message":\#(MobileSamples.compact)}"#)
      let headers = request["headers"] as? [String: String]
      #expect(headers?["apns-id"] == MobileSamples.pushID)
      #expect(headers?["apns-collapse-id"] == "chat-1")
    }
  }

  @Test("each row of the table, as the wire has it")
  func rows() async throws {
    try await APNsStage.run { stage in
      for row in APNsRow.all {
        let token = try #require(stage.rows[row.reason], "\(row.reason)")
        #expect(await stage.deliver(token) == row.outcome, "\(row.testDescription)")
      }
    }
  }

  @Test("every push type passes the checks that Apple makes")
  func pushTypes() async throws {
    try await APNsStage.run { stage in
      for type in APNsPushType.allCases {
        let display = MobileSamples.display { $0.pushType = type.rawValue }
        #expect(await stage.deliver(display: display).isDelivered, "\(type)")
      }
    }
  }

  @Test("one provider token serves many pushes, and a restart with the store serves more")
  func oneToken() async throws {
    let store = MemoryTokenStore()
    try await APNsStage.run(store: store) { stage in
      for _ in 0..<3 { #expect(await stage.deliver().isDelivered) }
      let restarted = APNsProvider(tokenStore: store)
      #expect(await stage.deliver(by: restarted).isDelivered)
      await restarted.shutdown()
      var tokens: Set<String> = []
      for _ in 0..<4 {
        tokens.insert((await stage.request()["headers"] as? [String: String])?["authorization"] ?? "")
      }
      #expect(tokens.count == 1)
    }
  }

  @Test("without a store, a restart makes a new token too early, and Apple says so")
  func tooManyUpdates() async throws {
    try await APNsStage.run { stage in
      let start = Timestamp.wallClock
      #expect(await stage.deliver(now: start).isDelivered)
      let restarted = APNsProvider(tokenStore: nil)
      #expect(
        await stage.deliver(now: start.advanced(by: .seconds(5)), by: restarted)
          == .lanePaused(reason: "429 TooManyProviderTokenUpdates", for: .seconds(60)))
      await restarted.shutdown()
    }
  }

  @Test("over its 50 minutes the token is renewed and no push is lost")
  func renewal() async throws {
    try await APNsStage.run { stage in
      let start = Timestamp.wallClock
      for minutes in stride(from: 0, through: 180, by: 9) {
        let now = start.advanced(by: .seconds(minutes * 60))
        try await stage.rule(["now": Int(now.milliseconds / 1000)])
        #expect(await stage.deliver(now: now).isDelivered, "minute \(minutes)")
      }
    }
  }

  @Test("an expired token is renewed within the attempt")
  func expired() async throws {
    try await APNsStage.run { stage in
      let start = Timestamp.wallClock
      #expect(await stage.deliver(now: start).isDelivered)
      // Apple's clock runs: for it the token is too old, for us it is not yet.
      let later = start.advanced(by: .seconds(45 * 60))
      try await stage.rule(["now": Int(start.milliseconds / 1000) + 3_601])
      #expect(await stage.deliver(now: later).isDelivered)
    }
  }

  @Test("after UnrelatedKeyIdInToken the push goes over a new connection")
  func unrelatedKey() async throws {
    try await APNsStage.run { stage in
      #expect(await stage.deliver().isDelivered)
      let first = await stage.request()["connection"] as? Int
      try await stage.rule(["rules": [["status": 403, "reason": "UnrelatedKeyIdInToken"] as [String: any Sendable]]])
      #expect(await stage.deliver().isDelivered)
      let refused = await stage.request()
      #expect(refused["connection"] as? Int == first)
      let second = await stage.request()
      #expect(second["status"] as? Int == 200)
      #expect(second["connection"] as? Int != first)
    }
  }

  @Test("a client certificate speaks for us, as PKCS#12 and as PEM")
  func certificates() async throws {
    try await APNsStage.run(["--client-certificate"]) { stage in
      let none = ["apple.key_file": "", "apple.key_id": "", "apple.team_id": ""]
      let forms = [
        ["apple.keystore": stage.text("keystore"), "apple.keystorePassword": stage.text("password")],
        [
          "apple.certificate_file": stage.text("certificate"),
          "apple.certificate_key_file": stage.text("certificate_key"),
        ],
      ]
      for form in forms {
        #expect(await stage.deliver(MobileSamples.deviceToken, none.merging(form) { $1 }).isDelivered)
        #expect((await stage.request()["headers"] as? [String: String])?["authorization"] == nil)
      }
      #expect(stage.provider.laneReports.count == 2)
      #expect(stage.provider.laneReports.allSatisfy { ($0.certificateExpiry ?? .epoch) > .wallClock })
      let wrong = none.merging(["apple.keystore": stage.text("keystore"), "apple.keystorePassword": "wrong"]) { $1 }
      let options = PushOptions(stage.options.merging(wrong) { $1 }.filter { !$0.value.isEmpty })
      #expect(stage.provider.obstacle(MobileSamples.ios(), options)?.hasPrefix("apple.keystore: ") == true)
    }
  }

  @Test("a server that is not to be trusted breaks the lane")
  func untrusted() async throws {
    try await APNsStage.run { stage in
      #expect(await stage.deliver(MobileSamples.deviceToken, ["apple.ca_file": ""]).isLaneBroken)
      let misnamed = await stage.deliver(MobileSamples.deviceToken, ["apple.server_name": "other.example"])
      #expect(misnamed.isLaneBroken, "\(misnamed)")
    }
  }

  @Test("a server that is not there costs no attempt")
  func unreachable() async throws {
    try await APNsStage.run { stage in
      let outcome = await stage.deliver(MobileSamples.deviceToken, ["apple.base_url": "https://127.0.0.1:1"])
      guard case .unprocessed(_, isTransport: true) = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test("many at once are all delivered")
  func many() async throws {
    try await APNsStage.run { stage in
      let delivered = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<300 { group.addTask { await stage.deliver().isDelivered } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(delivered == 300)
    }
  }
}
