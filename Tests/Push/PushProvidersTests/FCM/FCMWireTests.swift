import EventSourcing
import Foundation
import JSONEnvelope
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

/// `fcm.py` and a provider that talks to it.
struct FCMStage: Sendable {
  let standIn: StandIn
  let provider: FCMProvider

  static func run(_ body: @Sendable (FCMStage) async throws -> Void) async throws {
    let standIn = try await StandIn.start("fcm.py")
    let provider = FCMProvider()
    let result: Result<Void, any Error>
    do { result = .success(try await body(FCMStage(standIn: standIn, provider: provider))) } catch {
      result = .failure(error)
    }
    await provider.shutdown()
    standIn.stop()
    try result.get()
  }

  func text(_ name: String) -> String { standIn.hello[name] as? String ?? "" }
  var base: String { "https://localhost:\(standIn.port)" }

  var account: String {
    JSONValue.object([
      "type": "service_account", "client_email": .string(text("client_email")),
      "private_key": .string(text("private_key")), "private_key_id": .string(text("private_key_id")),
      "project_id": .string(text("project")), "token_uri": .string(base + "/token"),
    ]).text.text
  }

  var options: [String: String] {
    ["fcm.service_account": account, "fcm.base_url": base, "fcm.ca_file": text("ca")]
  }

  var legacyOptions: [String: String] {
    ["android.gcm.apiKey": text("api_key"), "android.gcm.url": base + "/gcm/send", "fcm.ca_file": text("ca")]
  }

  func deliver(
    _ token: String = "good", type: String = "fcm", _ options: [String: String]? = nil, now: Timestamp = .wallClock
  ) async -> PushOutcome {
    let message = MobileSamples.message(FCMSamples.target(type, token), content: FCMSamples.content)
    return await provider.deliver(MobileSamples.delivery(message, options ?? self.options, now: now))
  }

  /// Sends a command and waits until it holds.
  func rule(_ command: [String: any Sendable]) async throws {
    try standIn.send(command)
    while let line = await standIn.next() { if line["ruled"] != nil { return } }
    Issue.record("the stand-in did not take the command")
  }

  /// The paths of the requests that it got so far.
  func paths() async throws -> [String] {
    try standIn.send([:])
    var paths: [String] = []
    while let line = await standIn.next(), line["ruled"] == nil { paths.append(line["path"] as? String ?? "") }
    return paths
  }
}

@Suite("FCM over the wire", .serialized)
struct FCMWireTests {
  @Test("the token endpoint is asked once, then messages go over HTTP/2")
  func delivered() async throws {
    try await FCMStage.run { stage in
      #expect(await stage.deliver() == .delivered(id: "projects/demo-project/messages/1"))
      #expect(await stage.deliver() == .delivered(id: "projects/demo-project/messages/2"))
      _ = await stage.standIn.next()
      let request = try #require(await stage.standIn.next())
      #expect(request["version"] as? String == "2")
      #expect(
        request["body"] as? String
          == #"{"validate_only":false,"message":{"token":"good","data":{"message":\#(FCMSamples.quoted)},"android":"#
          + #"{"priority":"HIGH"}}}"#)
      #expect(try await stage.paths() == ["/v1/projects/demo-project/messages:send"])
    }
  }

  @Test("each row of the table, as the wire has it")
  func rows() async throws {
    try await FCMStage.run { stage in
      for row in FCMRow.all {
        // Its platform's credential is wrong: the first attempt tells, from the second on it is in a lane of its own.
        if row.action == .separateTarget {
          #expect(await stage.deliver(row.name) == .retryable(reason: "401 THIRD_PARTY_AUTH_ERROR"))
        }
        #expect(await stage.deliver(row.name) == row.outcome, "\(row.name)")
      }
    }
  }

  @Test("each row of the old form, as the wire has it")
  func legacyRows() async throws {
    try await FCMStage.run { stage in
      for row in FCMLegacyRow.all {
        var outcome = await stage.deliver(row.token, type: "gcm", stage.legacyOptions)
        if case .delivered(_, let replacement) = outcome { outcome = .delivered(id: "0:1", replacement: replacement) }
        #expect(outcome == row.outcome, "\(row.token)")
      }
      #expect(await stage.deliver(type: "android", stage.legacyOptions).isDelivered)
      #expect(await stage.deliver("topic:news", type: "gcm", stage.legacyOptions).isDelivered)
    }
  }

  @Test("the old form has the bytes that GMS prints")
  func legacyBytes() async throws {
    try await FCMStage.run { stage in
      #expect(await stage.deliver("reg-token-1", type: "gcm", stage.legacyOptions).isDelivered)
      let request = try #require(await stage.standIn.next())
      #expect(request["path"] as? String == "/gcm/send")
      #expect(request["body"] as? String == #"{"to":"reg-token-1","data":{"message":\#(FCMSamples.quoted)}}"#)
    }
  }

  @Test("an access token that is not taken any more is renewed within the attempt")
  func unauthenticated() async throws {
    try await FCMStage.run { stage in
      #expect(await stage.deliver().isDelivered)
      try await stage.rule(["forget_tokens": true])
      #expect(await stage.deliver().isDelivered)
      let send = "/v1/projects/demo-project/messages:send"
      #expect(try await stage.paths() == [send, "/token", send])
    }
  }

  @Test("the token endpoint down during a renewal hurts nobody")
  func renewalFails() async throws {
    try await FCMStage.run { stage in
      let start = Timestamp.wallClock
      #expect(await stage.deliver(now: start).isDelivered)
      try await stage.rule(["rules": [["path": "/token", "status": 503, "times": 2] as [String: any Sendable]]])
      var now = start.advanced(by: .seconds(3_599 - 299))
      try await stage.rule(["now": Int(now.milliseconds / 1000)])
      for _ in 0..<40 {
        #expect(await stage.deliver(now: now).isDelivered)
        now = now.advanced(by: .seconds(1))
      }
      let asked = try await stage.paths().filter { $0 == "/token" }.count
      #expect(asked == 3, "twice down, then up")
      #expect(await stage.deliver(now: start.advanced(by: .seconds(3_700))).isDelivered)
    }
  }

  @Test("without a token, a passing failure pauses the lane and a refusal breaks it")
  func noToken() async throws {
    try await FCMStage.run { stage in
      try await stage.rule(["rules": [["path": "/token", "status": 503, "times": 1] as [String: any Sendable]]])
      let now = Timestamp.wallClock
      guard case .lanePaused("token endpoint: 503", let pause) = await stage.deliver(now: now) else {
        Issue.record("no pause")
        return
      }
      #expect((.milliseconds(500)...(.seconds(1))).contains(pause))
      #expect(await stage.deliver(now: now.advanced(by: pause)).isDelivered)
    }
    try await FCMStage.run { stage in
      try await stage.rule([
        "rules": [
          ["path": "/token", "status": 400, "body": ["error": "invalid_grant"], "times": 1] as [String: any Sendable]
        ]
      ])
      #expect(await stage.deliver() == .laneBroken(reason: "token endpoint: 400 invalid_grant"))
    }
  }

  @Test("a hundred pushes at once ask for one token")
  func singleFlight() async throws {
    try await FCMStage.run { stage in
      let now = Timestamp.wallClock
      let delivered = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<100 { group.addTask { await stage.deliver(now: now).isDelivered } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(delivered == 100)
      let asked = try await stage.paths().filter { $0 == "/token" }.count
      #expect(asked == 1)
    }
  }

  @Test("a wrong credential of Apple's stops only the targets that it concerns")
  func thirdParty() async throws {
    try await FCMStage.run { stage in
      let options = PushOptions(stage.options)
      let ios = FCMSamples.target("fcm", "third-party")
      let android = FCMSamples.target("fcm", "good")
      #expect(stage.provider.lane(of: ios, options) == stage.provider.lane(of: android, options))
      _ = await stage.deliver("third-party")
      let apart = stage.provider.lane(of: ios, options)
      #expect(apart.label == "fcm:default:third-party")
      #expect(apart.id != stage.provider.lane(of: android, options).id)
      #expect(await stage.deliver("third-party").isLaneBroken)
      #expect(await stage.deliver("good").isDelivered)
      stage.provider.reload()
      #expect(stage.provider.lane(of: ios, options) == stage.provider.lane(of: android, options))
    }
  }

  @Test("servers that are not to be trusted break the lane, those that are not there do not")
  func transport() async throws {
    try await FCMStage.run { stage in
      let noRoots = stage.options.filter { $0.key != "fcm.ca_file" }
      #expect(await stage.deliver("good", noRoots) == .laneBroken(reason: "token endpoint: TLS failed"))
      let legacyNoRoots = stage.legacyOptions.filter { $0.key != "fcm.ca_file" }
      #expect(await stage.deliver("good", type: "gcm", legacyNoRoots) == .laneBroken(reason: "TLS failed"))
      let away = stage.legacyOptions.merging(["android.gcm.url": "http://127.0.0.1:1/x"]) { $1 }
      guard case .unprocessed(_, isTransport: true) = await stage.deliver("good", type: "gcm", away) else {
        Issue.record("the old form, unreachable")
        return
      }
      let v1Away = stage.options.merging(["fcm.base_url": "https://127.0.0.1:1"]) { $1 }
      guard case .unprocessed(_, isTransport: true) = await stage.deliver("good", v1Away) else {
        Issue.record("HTTP v1, unreachable")
        return
      }
    }
  }
}

@Suite("FCM provider, by its options")
struct FCMProviderTests {
  private func obstacle(_ type: String, _ options: [String: String]) async -> String? {
    let provider = FCMProvider()
    let obstacle = provider.obstacle(FCMSamples.target(type), PushOptions(options))
    await provider.shutdown()
    return obstacle
  }

  @Test(
    "an obstacle names the option",
    arguments: [
      ("fcm", [:], "not set: fcm.service_account_file or fcm.apiKey"),
      ("gcm", [:], "not set: fcm.service_account_file or android.gcm.apiKey"),
      ("android", ["fcm.apiKey": "x"], "not set: fcm.service_account_file or android.gcm.apiKey"),
      ("fcm", ["fcm.apiKey": "a\nb"], "fcm.apiKey: not a key"),
      ("fcm", ["fcm.apiKey": "x", "fcm.legacy_url": "ftp://x"], "fcm.legacy_url: not a URL"),
      ("gcm", ["android.gcm.apiKey": "x", "android.gcm.url": "x"], "android.gcm.url: not a URL"),
      ("fcm", ["fcm.apiKey": "x", "fcm.ca_file": "/nowhere"], "fcm.ca_file: file cannot be read"),
      ("fcm", ["fcm.service_account_file": "/nowhere"], "fcm.service_account_file: file cannot be read"),
      ("fcm", ["fcm.service_account": "x"], "fcm.service_account: not JSON"),
      ("fcm", ["fcm.service_account": "{}"], "fcm.service_account: no client_email"),
      (
        "fcm", ["fcm.service_account": #"{"client_email":"a","token_uri":"b","project_id":"c"}"#],
        "fcm.service_account: token_uri is not a URL"
      ),
      (
        "fcm", ["fcm.service_account": #"{"client_email":"a","token_uri":"https://b","project_id":"c/d"}"#],
        "fcm.service_account: project_id has a wrong form"
      ),
      (
        "fcm",
        ["fcm.service_account": #"{"client_email":"a","token_uri":"https://b","project_id":"c","private_key":"d"}"#],
        "fcm.service_account: private_key is not an RSA key in PEM"
      ),
    ] as [(String, [String: String], String)])
  func obstacles(type: String, options: [String: String], expected: String) async {
    #expect(await obstacle(type, options) == expected)
  }

  @Test("a key alone is enough for the old form")
  func legacy() async {
    #expect(await obstacle("fcm", ["fcm.apiKey": "x"]) == nil)
    #expect(await obstacle("android", ["android.gcm.apiKey": "x"]) == nil)
  }

  @Test("a lane is a credential; its label names type and provider; its rate is an option")
  func lanes() async {
    let provider = FCMProvider()
    let options = PushOptions(["fcm.service_account": "secret", "fcm.per_second": "50"])
    let fcm = provider.lane(of: FCMSamples.target("fcm", provider: "shop"), options)
    #expect(fcm.label == "fcm:shop")
    #expect(fcm.perSecondMaximum == 50)
    let gcm = provider.lane(of: FCMSamples.target("gcm"), options)
    #expect(gcm.label == "gcm:default")
    #expect(gcm == provider.lane(of: FCMSamples.target("android"), options))
    #expect(!gcm.id.contains("secret"))
    let bare = provider.lane(of: FCMSamples.target("gcm"), PushOptions(["android.gcm.apiKey": "k"]))
    #expect(bare.perSecondMaximum == 8_000)
    #expect(bare.id != gcm.id)
    await provider.shutdown()
  }
}
