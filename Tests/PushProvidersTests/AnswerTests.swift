import NIOCore
import NIOPosix
import PushDomain
import PushProviders
import Testing

@Suite("Webhook providers, what comes back")
struct AnswerTests {
  @Test(
    "delivered is exactly 200; all else may be tried again",
    arguments: [
      (200, .delivered), (201, .retryable(reason: "status 201")), (204, .retryable(reason: "status 204")),
      (301, .retryable(reason: "status 301")), (304, .retryable(reason: "status 304")),
      (400, .retryable(reason: "status 400")), (401, .retryable(reason: "status 401")),
      (404, .retryable(reason: "status 404")), (410, .retryable(reason: "status 410")),
      (429, .retryable(reason: "status 429")), (500, .retryable(reason: "status 500")),
      (503, .retryable(reason: "status 503")),
    ] as [(Int, PushOutcome)])
  func statuses(status: Int, outcome: PushOutcome) async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(await provider.deliver(.callback(server.url("/status/\(status)"))) == outcome)
    }
  }

  @Test(
    "Retry-After in seconds is handed on, anything else is not",
    arguments: [
      ("30", 30), ("0", 0), ("-1", nil), ("soon", nil), ("1.5", nil), ("", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func retryAfter(value: String, seconds: Int?) async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url("/retry-after/\(value)")))
      #expect(outcome == .retryable(reason: "status 429", after: seconds.map { .seconds($0) }))
    }
  }

  @Test("a redirect is not followed")
  func redirect() async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url("/redirect")))
      #expect(outcome == .retryable(reason: "status 302"))
      #expect(server.log.requests.map(\.path) == ["/redirect"])
    }
  }

  @Test("a body is read away and its connection used again")
  func keepAlive() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      for _ in 0..<3 { #expect(await provider.deliver(.callback(server.url("/body"))) == .delivered) }
      #expect(server.log.requests.count == 3 && server.log.connections == 1)
    }
  }

  @Test("a receiver that closes without an answer may be tried again, and was asked once")
  func closes() async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url("/closes")))
      #expect(outcome == .retryable(reason: "connection closed"))
      #expect(server.log.requests.count == 1)
    }
  }

  @Test("200 counts, even if the receiver closes in the middle of its body")
  func short() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(await provider.deliver(.callback(server.url("/short"))) == .delivered)
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered)
    }
  }

  @Test("an endless body is cut, and 200 counts")
  func endless() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(await provider.deliver(.callback(server.url("/endless"))) == .delivered)
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered)
      // The bound, and what fits into the sockets' buffers on the way.
      #expect(server.log.endlessBytes < 32_000_000)
      #expect(server.log.connections == 2)
    }
  }

  @Test("no answer, or an endless head: given up in time", arguments: ["/silent", "/drip"])
  func silent(path: String) async throws {
    try await withReceiver(.with(connect: .seconds(5), read: .milliseconds(200))) { server, courier in
      let clock = ContinuousClock()
      let start = clock.now
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url(path)))
      #expect(outcome == .retryable(reason: "no answer in time"))
      #expect(clock.now - start < .seconds(4))
    }
  }

  @Test("a body that never comes costs a time-out but not the success")
  func stuckBody() async throws {
    try await withReceiver(.with(read: .seconds(2))) { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url("/stuck-body")))
      #expect(outcome == .delivered)
    }
  }

  @Test("nobody listens: reported at once, not at the time-out")
  func nobodyListens() async throws {
    let url = try await withReceiver { server, _ in server.url("/status/200") }
    let courier = WebhookCourier(.with(connect: .seconds(60), read: .seconds(60)))
    let start = ContinuousClock.now
    let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(url))
    #expect(ContinuousClock.now - start < .seconds(20))
    guard case .retryable(let reason, nil) = outcome else {
      Issue.record("\(outcome)")
      return await courier.shutdown()
    }
    #expect(reason.hasPrefix("connection failed") && !reason.contains("127.0.0.1"))
    await courier.shutdown()
  }

  @Test("a receiver that takes no connections: the connect times out")
  func connectTimeout() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let deaf = try await ServerBootstrap(group: group).serverChannelOption(.backlog, value: 1)
      .serverChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).get()
    let address = try #require(deaf.localAddress)
    // What fills the backlog; those that do not get in give up by themselves.
    let attempts = (0..<6).map { _ in
      ClientBootstrap(group: group).connectTimeout(.milliseconds(200)).connect(to: address)
    }
    for attempt in attempts { _ = try? await attempt.get() }
    let courier = WebhookCourier(.with(connect: .milliseconds(200), read: .seconds(5)))
    let outcome = await HTTPCallbackProvider(courier: courier).deliver(
      .callback("http://127.0.0.1:\(address.port ?? 0)/"))
    #expect(outcome == .retryable(reason: "connect timed out"))
    await courier.shutdown()
    for attempt in attempts { try? await attempt.get().close() }
    try await deaf.close()
  }

  @Test("after the shutdown nothing is sent, and a second shutdown does no harm")
  func afterShutdown() async throws {
    try await withReceiver { server, courier in
      await courier.shutdown()
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback(server.url("/status/200")))
      #expect(outcome == .retryable(reason: "shut down"))
      #expect(server.log.requests.isEmpty)
    }
  }
}
