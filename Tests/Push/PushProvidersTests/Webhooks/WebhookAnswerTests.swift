import NIOCore
import NIOPosix
import PushDomain
import PushProviders
import Testing

@Suite("Webhook providers, what comes back")
struct AnswerTests {
  @Test(
    "each status, for a receiver of one device and for the operator's own",
    arguments: [
      (200, .delivered(), nil), (201, .retryable(reason: "201 Created"), nil),
      (204, .retryable(reason: "204 No Content"), nil),
      (301, .retryable(reason: "301 Moved Permanently"), nil),
      (304, .retryable(reason: "304 Not Modified"), nil),
      (307, .retryable(reason: "307 Temporary Redirect"), nil),
      (400, .rejected(reason: "400 Bad Request"), nil),
      (401, .rejected(reason: "401 Unauthorized"), nil),
      (404, .rejected(reason: "404 Not Found"), nil),
      (408, .retryable(reason: "408 Request Timeout"), nil),
      (409, .rejected(reason: "409 Conflict"), nil),
      (410, .unregistered(reason: "410 Gone"), .endpointGone(reason: "410 Gone")),
      (418, .rejected(reason: "418 I'm a teapot"), nil),
      (425, .retryable(reason: "425"), nil),
      (429, .retryable(reason: "429 Too Many Requests"), nil),
      (500, .retryable(reason: "500 Internal Server Error"), nil),
      (501, .retryable(reason: "501 Not Implemented"), nil),
      (502, .retryable(reason: "502 Bad Gateway"), nil),
      (503, .retryable(reason: "503 Service Unavailable"), nil),
      (504, .retryable(reason: "504 Gateway Timeout"), nil),
      (599, .retryable(reason: "599"), nil),
    ] as [(Int, PushOutcome, PushOutcome?)])
  func statuses(status: Int, outcome: PushOutcome, operators: PushOutcome?) async throws {
    try await withReceiver { server, courier in
      let url = server.url("/status/\(status)")
      #expect(await HTTPCallbackProvider(courier: courier).deliver(.callback(url)) == outcome)
      #expect(
        await CustomHTTPProvider(courier: courier).deliver(.custom(url)) == operators ?? outcome)
    }
  }

  @Test(
    "with `webhooks.success` = 2xx each of them counts",
    arguments: [(200, true), (201, true), (204, true), (299, true), (301, false), (404, false)])
  func anySuccess(status: Int, counts: Bool) async throws {
    try await withReceiver { server, courier in
      let delivery = PushDelivery.callback(
        server.url("/status/\(status)"), options: ["webhooks.success": "2xx"])
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(delivery)
      #expect((outcome == .delivered()) == counts)
    }
  }

  @Test(
    "Retry-After in seconds is handed on up to a day, what is neither that nor a date is not",
    arguments: [
      ("30", 30), ("0", 0), ("86400", 86_400), ("90000", 86_400), ("99999999999999999999", 86_400),
      ("-1", nil),
      ("soon", nil), ("1.5", nil), ("", nil),
    ] as [(String, Int?)])
  func retryAfter(value: String, seconds: Int?) async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url("/retry-after/\(value)")))
      #expect(
        outcome == .retryable(reason: "429 Too Many Requests", after: seconds.map { .seconds($0) }))
    }
  }

  @Test("a redirect is not followed")
  func redirect() async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url("/redirect")))
      #expect(outcome == .retryable(reason: "302 Found"))
      #expect(server.log.requests.map(\.path) == ["/redirect"])
    }
  }

  @Test("a body is read away and its connection used again")
  func keepAlive() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      for _ in 0..<3 {
        #expect(await provider.deliver(.callback(server.url("/body"))) == .delivered())
      }
      #expect(server.log.requests.count == 3 && server.log.connections == 1)
    }
  }

  @Test("a receiver that closes without an answer may be tried again, and was asked once")
  func closes() async throws {
    try await withReceiver { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url("/closes")))
      #expect(
        outcome == .retryable(reason: "connection closed", mayBeDelivered: true, isTransport: true))
      #expect(server.log.requests.count == 1)
    }
  }

  @Test("200 counts, even if the receiver closes in the middle of its body")
  func short() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(await provider.deliver(.callback(server.url("/short"))) == .delivered())
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered())
    }
  }

  @Test("an endless body is cut, and 200 counts")
  func endless() async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      #expect(await provider.deliver(.callback(server.url("/endless"))) == .delivered())
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered())
      // The bound, and what fits into the sockets' buffers on the way.
      #expect(server.log.endlessBytes < 32_000_000)
      #expect(server.log.connections == 2)
    }
  }

  @Test("no answer, or an endless head: given up in time", arguments: ["/silent", "/drip"])
  func silent(path: String) async throws {
    try await withReceiver(.with(connect: .seconds(5), read: .milliseconds(200))) {
      server, courier in
      let clock = ContinuousClock()
      let start = clock.now
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url(path)))
      #expect(
        outcome == .retryable(reason: "no answer in time", mayBeDelivered: true, isTransport: true))
      #expect(clock.now - start < .seconds(60))
    }
  }

  @Test("a body that never comes costs a time-out but not the success")
  func stuckBody() async throws {
    try await withReceiver(.with(read: .seconds(6))) { server, courier in
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url("/stuck-body")))
      #expect(outcome == .delivered())
    }
  }

  @Test("nobody listens: reported at once, not at the time-out")
  func nobodyListens() async throws {
    let courier = WebhookCourier(.with(connect: .seconds(600), read: .seconds(600)))
    let start = ContinuousClock.now
    let outcome = await HTTPCallbackProvider(courier: courier).deliver(.callback("http://127.0.0.1:1/"))
    #expect(ContinuousClock.now - start < .seconds(120))
    #expect(outcome == .retryable(reason: "connection failed", isTransport: true))
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
    #expect(outcome == .retryable(reason: "connect timed out", isTransport: true))
    await courier.shutdown()
    for attempt in attempts { try? await attempt.get().close() }
    try await deaf.close()
  }

  @Test("after the shutdown nothing is sent, and a second shutdown does no harm")
  func afterShutdown() async throws {
    try await withReceiver { server, courier in
      await courier.shutdown()
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback(server.url("/status/200")))
      #expect(outcome == .unprocessed(reason: "shut down"))
      #expect(server.log.requests.isEmpty)
    }
  }
}
