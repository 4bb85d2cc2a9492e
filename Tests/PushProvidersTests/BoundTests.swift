import NIOCore
import PushDomain
import Testing

@testable import PushProviders

@Suite("Webhook providers, posts in flight")
struct BoundTests {
  @Test("no more than the bound are in flight at one receiver; all arrive in the end")
  func perHost() async throws {
    try await withReceiver(.with(read: .seconds(30), perHost: 3)) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let url = server.url("/hold")
      let outcomes = await withTaskGroup(of: PushOutcome.self) { group in
        for _ in 0..<10 { group.addTask { await provider.deliver(.callback(url)) } }
        await server.log.waitUntilHeld(3)
        while courier.limiter.counts.waiting < 7 { await Task.yield() }
        #expect(courier.limiter.counts.inFlight == 3)
        server.log.release()
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes == Array(repeating: .delivered, count: 10))
      #expect(server.log.runningPeak == 3)
      #expect(courier.limiter.counts == (0, 0))
    }
  }

  @Test("a receiver that does not answer leaves room for the others")
  func slowReceiver() async throws {
    try await withReceiver(.with(read: .seconds(30), inFlight: 3, perHost: 2)) { slow, courier in
      let quick = try await ReceiverServer.start()
      let provider = HTTPCallbackProvider(courier: courier)
      let url = slow.url("/hold")
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<6 { group.addTask { _ = await provider.deliver(.callback(url)) } }
        await slow.log.waitUntilHeld(2)
        for _ in 0..<4 { #expect(await provider.deliver(.callback(quick.url("/status/200"))) == .delivered) }
        slow.log.release()
      }
      try await quick.stop()
    }
  }

  @Test("a failure gives its place back", arguments: ["/status/500", "/closes", "/short", "/silent"])
  func placesComeBack(path: String) async throws {
    try await withReceiver(.with(read: .milliseconds(500), inFlight: 1, perHost: 1)) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      _ = await provider.deliver(.callback(server.url(path)))
      #expect(courier.limiter.counts == (0, 0))
      #expect(await provider.deliver(.callback(server.url("/status/200"))) == .delivered)
    }
  }

  @Test("a task that is cancelled gives up its wait, its post and its place")
  func cancellation() async throws {
    try await withReceiver(.with(read: .seconds(30), perHost: 1)) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let url = server.url("/hold")
      let running = Task { await provider.deliver(.callback(url)) }
      await server.log.waitUntilHeld(1)
      let waiting = Task { await provider.deliver(.callback(url)) }
      while courier.limiter.counts.waiting < 1 { await Task.yield() }
      waiting.cancel()
      #expect(await waiting.value == .retryable(reason: "cancelled"))
      running.cancel()
      #expect(await running.value == .retryable(reason: "cancelled"))
      #expect(courier.limiter.counts == (0, 0))
    }
  }

  @Test("when too many wait, the next one is told at once")
  func full() async throws {
    try await withReceiver(.with(read: .seconds(30), perHost: 1, waiting: 0)) { server, courier in
      let provider = HTTPCallbackProvider(courier: courier)
      let url = server.url("/hold")
      let running = Task { await provider.deliver(.callback(url)) }
      await server.log.waitUntilHeld(1)
      #expect(await provider.deliver(.callback(url)) == .retryable(reason: "too many pushes wait"))
      server.log.release()
      #expect(await running.value == .delivered)
    }
  }
}

@Suite("In-flight limiter")
struct LimiterTests {
  @Test("hosts take turns, and those of one host come in their order")
  func turns() async {
    let limiter = InFlightLimiter(inFlightMaximum: 1, perHostMaximum: 1, waitingMaximum: 100)
    #expect(await limiter.enter("a") == .admitted)
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    var tasks: [Task<Void, Never>] = []
    for (index, host) in ["a", "a", "a", "b", "c"].enumerated() {
      tasks.append(
        Task {
          _ = await limiter.enter(host)
          continuation.yield("\(host)\(index)")
          limiter.leave(host)
        })
      while limiter.counts.waiting <= index { await Task.yield() }
    }
    limiter.leave("a")
    for task in tasks { await task.value }
    continuation.finish()
    #expect(await stream.reduce(into: []) { $0.append($1) } == ["a0", "b3", "c4", "a1", "a2"])
    #expect(limiter.counts == (0, 0))
  }

  @Test("one that is cancelled before it asks is not let in")
  func cancelledBefore() async {
    let limiter = InFlightLimiter(inFlightMaximum: 1, perHostMaximum: 1, waitingMaximum: 100)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await limiter.enter("a")
    }
    #expect(await task.value == .cancelled)
    #expect(limiter.counts == (0, 0))
  }
}

@Suite("Webhook providers, private addresses")
struct PrivateAddressTests {
  @Test(
    "refused by the address written in the URL, by what a name resolves to, and never written to",
    arguments: [
      "127.0.0.1", "localhost",
    ])
  func refused(host: String) async throws {
    try await withReceiver { server, courier in
      let guarded = HTTPCallbackProvider(courier: courier, allowsPrivateAddresses: false)
      let url = server.url("/status/200", host: host)
      for _ in 0..<3 { #expect(await guarded.deliver(.callback(url)) == .refused(reason: "private address")) }
      #expect(server.log.requests.isEmpty)
      #expect(courier.limiter.counts == (0, 0))
      #expect(await HTTPCallbackProvider(courier: courier).deliver(.callback(url)) == .delivered)
    }
  }

  @Test(
    "the ranges",
    arguments: [
      ("0.0.0.0", true), ("10.1.2.3", true), ("100.64.0.1", true), ("100.128.0.1", false), ("127.9.9.9", true),
      ("169.254.169.254", true), ("172.16.0.1", true), ("172.31.255.255", true), ("172.32.0.1", false),
      ("192.168.3.4", true), ("192.169.0.1", false), ("192.0.2.1", true), ("198.18.0.1", true), ("198.51.100.7", true),
      ("203.0.113.9", true), ("224.0.0.1", true), ("255.255.255.255", true), ("8.8.8.8", false),
      ("93.184.216.34", false),
      ("::", true), ("::1", true), ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false), ("64:ff9b::808:808", true),
      ("fc00::1", true), ("fd12::1", true), ("fe80::1", true), ("ff02::1", true), ("2001:db8::1", true),
      ("2002:a00:1::", true), ("2002:808:808::", false), ("2606:4700::1111", false), ("100::1", true),
    ])
  func ranges(address: String, isPrivate: Bool) throws {
    #expect(try SocketAddress(ipAddress: address, port: 80).isPrivate == isPrivate)
  }
}
