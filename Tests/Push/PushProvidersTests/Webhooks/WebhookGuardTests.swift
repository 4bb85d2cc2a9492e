import NIOCore
import NIOPosix
import NetworkAddress
import PushDomain
import StandInSupport
import Testing

@testable import PushProviders

@Suite("Posts to URLs from outside")
struct WebhookGuardTests {
  @Test(
    "without permission nothing is written to this machine, by address or by name",
    arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "a.localhost"])
  func refused(host: String) async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let url = server.url("/status/200", host: host)
      let closed = PushDelivery.callback(url, options: ["webhooks.allow_private": ""])
      for _ in 0..<3 {
        #expect(await provider.deliver(closed) == .refused(reason: "private address"))
      }
      #expect(server.log.connections == 0)
      #expect(await provider.deliver(.callback(url)) == .delivered())
      let open = ["webhooks.allow_private": "", "httpcb.allow_private_addresses": "true"]
      #expect(await provider.deliver(.callback(url, options: open)) == .delivered())
    }
  }

  @Test("the URL of customhttp is the operator's own, and free")
  func operators() async throws {
    try await withReceiver { server, courier in
      let provider = CustomHTTPProvider(courier: courier)
      for host in ["127.0.0.1", "localhost"] {
        #expect(
          await provider.deliver(.custom(server.url("/status/200", host: host))) == .delivered())
      }
    }
  }

  @Test(
    "what is wrong with a device id can be told before anything is sent",
    arguments: [
      ("http://127.0.0.1/", nil), ("http://127.0.0.2/", "device id: private address"),
      ("nonsense", "device id: invalid URL"),
      ("http://8.8.8.8:22/", "device id: port not allowed"), ("https://a.test/", nil),
    ] as [(String, String?)])
  func obstacle(url: String, obstacle: String?) async throws {
    try await withCourier { courier in
      let delivery = PushDelivery.callback(url)
      #expect(
        HTTPCallbackProvider(courier: courier).obstacle(delivery.message.target, delivery.options)
          == obstacle)
    }
  }

  @Test("a redirect into the own network is not followed")
  func redirect() async throws {
    try await withStandIn("webhook.py", ["--plain"]) { receiver, courier in
      try await receiver.willAnswer(
        307, headers: ["Location": "http://127.0.0.1:\(receiver.port)/inside"])
      let outcome = await HTTPCallbackProvider(courier: courier).deliver(
        .callback("http://127.0.0.1:\(receiver.port)/"))
      #expect(outcome == .retryable(reason: "307 Temporary Redirect"))
      #expect(await receiver.next()?["path"] as? String == "/")
      #expect(await receiver.next(within: .milliseconds(200)) == nil)
    }
  }

  @Test(
    "a name that is public first and private then: the second answer is refused, the first one's address was used"
  )
  func rebinding() async throws {
    // 192.0.2.1 is nobody's, but allowed here: it stands for a public address that does not answer.
    let names = StagedNames(["evil.test": [["192.0.2.1"], ["127.0.0.1"]]])
    let settings = WebhookSettings.with(connect: .milliseconds(200), read: .milliseconds(200))
    let server = try await ReceiverServer.start()
    try await withCourier(settings, names: names) { courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let delivery = PushDelivery.callback(
        server.url("/status/200", host: "evil.test"),
        options: ["webhooks.allow_private": "192.0.2.1"])
      let first = await provider.deliver(delivery)
      guard case .retryable(_, nil, false, true) = first else {
        Issue.record("\(first)")
        return
      }
      names.advance(by: .seconds(61))
      #expect(await provider.deliver(delivery) == .refused(reason: "private address"))
      #expect(names.asked == ["evil.test", "evil.test"])
      #expect(server.log.connections == 0)
    }
    try await server.stop()
  }

  @Test("a name is asked for once a minute, and each post goes to the address that was checked")
  func pinned() async throws {
    let names = StagedNames([
      "receiver.test": [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "10.0.0.1"]]
    ])
    let server = try await ReceiverServer.start()
    try await withCourier(names: names) { courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let delivery = PushDelivery.callback(server.url("/status/200", host: "Receiver.TEST"))
      for _ in 0..<3 { #expect(await provider.deliver(delivery) == .delivered()) }
      #expect(names.asked == ["receiver.test"])
      #expect(server.log.connections == 1)
      #expect(server.log.requests.first?.headers["host"] == "receiver.test:\(server.port)")
      for _ in 0..<2 {
        names.advance(by: .seconds(61))
        #expect(await provider.deliver(delivery) == .refused(reason: "private address"))
      }
      #expect(server.log.requests.count == 3)
    }
    try await server.stop()
  }

  @Test(
    "a connection to another address than the one that was checked is closed before anything is written"
  )
  func judge() async throws {
    try await withReceiver { server, _ in
      let address = try SocketAddress(ipAddress: "127.0.0.1", port: server.port)
      for (checked, isRight) in [("127.0.0.1", true), ("127.0.0.2", false)] {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(to: address).get()
        let judgement = channel.eventLoop.flatSubmit {
          ConnectionJudge.judge(channel, host: "a.test", address: IPAddress(checked))
        }
        if isRight {
          try await judgement.get()
          try await channel.close()
        } else {
          await #expect(throws: ConnectionJudge.WrongAddress.self) { try await judgement.get() }
          try await channel.closeFuture.get()
        }
      }
      #expect(server.log.requests.isEmpty)
    }
  }

  @Test("an address that takes no connection is passed over, and left for the last from then on")
  func fallback() async throws {
    let names = StagedNames(["receiver.test": [["127.0.0.3", "127.0.0.1"]]])
    let server = try await ReceiverServer.start()
    try await withCourier(names: names) { courier in
      let delivery = PushDelivery.callback(
        server.url("/status/200", host: "receiver.test"),
        options: ["webhooks.allow_private": "127.0.0.0/8"])
      #expect(await HTTPCallbackProvider(courier: courier).deliver(delivery) == .delivered())
      #expect(courier.poster.pool.count == 2)
      #expect(await HTTPCallbackProvider(courier: courier).deliver(delivery) == .delivered())
      #expect(server.log.requests.count == 2)
    }
    try await server.stop()
  }

  @Test("over TLS the certificate is that of the name, not of the address")
  func tls() async throws {
    let names = StagedNames(["receiver.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]])
    try await withStandIn("webhook.py", names: names) { receiver, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      func outcome(_ host: String, _ options: [String: String]) async -> PushOutcome {
        await provider.deliver(.callback("https://\(host):\(receiver.port)/x", options: options))
      }
      let trusting = ["webhooks.ca_file": receiver.authority]
      #expect(await outcome("receiver.test", trusting) == .delivered())
      #expect(await outcome("127.0.0.1", trusting) == .delivered())
      let untrusted = PushOutcome.retryable(reason: "certificate not trusted", isTransport: true)
      let other = await outcome("other.test", trusting)
      #expect(other == untrusted)
      #expect(await outcome("receiver.test", [:]) == untrusted)
      #expect(await receiver.next()?["path"] as? String == "/x")
    }
  }

  @Test(
    "what was not written cannot have been delivered, and what was may have been",
    arguments: ["{}", ""])
  func written(content: String) async throws {
    try await withReceiver { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let outcome = await provider.deliver(.callback(server.url("/closes"), content: content))
      #expect(
        outcome == .retryable(reason: "connection closed", mayBeDelivered: true, isTransport: true))
    }
  }

  @Test("a task that is cancelled gives up its post")
  func cancellation() async throws {
    try await withReceiver(.with(read: .seconds(30))) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let url = server.url("/hold")
      let running = Task { await provider.deliver(.callback(url)) }
      await server.log.waitUntilHeld(1)
      running.cancel()
      #expect(await running.value == .retryable(reason: "cancelled", mayBeDelivered: true))
    }
  }

  @Test("a receiver that does not answer leaves room for the others, and for itself")
  func slowReceiver() async throws {
    try await withReceiver(.with(read: .seconds(30))) { slow, courier in
      let quick = try await ReceiverServer.start()
      let provider = HTTPCallbackProvider(courier: courier)
      let url = slow.url("/hold")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<16 { group.addTask { _ = await provider.deliver(.callback(url)) } }
        await slow.log.waitUntilHeld(16)
        for _ in 0..<4 {
          #expect(await provider.deliver(.callback(quick.url("/status/200"))) == .delivered())
        }
        slow.log.release()
      }
      try await quick.stop()
    }
  }

  @Test(
    "a failure gives its connection back",
    arguments: ["/status/500", "/closes", "/short", "/silent"])
  func placesComeBack(path: String) async throws {
    var settings = WebhookSettings.with(read: .seconds(5))
    settings.inFlightPerEndpointMaximum = 1
    try await withReceiver(settings) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      _ = await provider.deliver(.callback(server.url(path)))
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered())
    }
  }

  @Test("more hosts than are kept: the idle ones are closed, those in use when they are done")
  func manyHosts() async throws {
    var settings = WebhookSettings.with(read: .seconds(30))
    settings.hostsMaximum = 2
    let hosts = (1...5).map { "h\($0).test" }
    let names = StagedNames(Dictionary(uniqueKeysWithValues: hosts.map { ($0, [["127.0.0.1"]]) }))
    let server = try await ReceiverServer.start()
    try await withCourier(settings, names: names) { courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let held = server.url("/hold", host: "h1.test")
      let running = Task { await provider.deliver(.callback(held)) }
      await server.log.waitUntilHeld(1)
      for host in hosts.dropFirst() {
        #expect(
          await provider.deliver(.callback(server.url("/status/200", host: host))) == .delivered())
        #expect(courier.poster.pool.count <= 3)
      }
      server.log.release()
      #expect(await running.value == .delivered())
      #expect(courier.poster.pool.count == 2)
    }
    try await server.stop()
  }
}
