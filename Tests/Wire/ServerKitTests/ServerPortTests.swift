import EdgeSecurity
import NIOCore
import NIOPosix
import Testing

@testable import ServerKit

@Suite("Port of a server", .timeLimit(.minutes(1)))
struct ServerPortTests {
  private static func port(limit: Int = 100) -> ServerPort {
    ServerPort(admission: ConnectionAdmission(connections: OpenCount(), limit: limit, budgets: StrangerBudgets()))
  }

  private static func listener(_ pipeline: SilentPipeline = SilentPipeline(), port: Int = 0) -> Listener {
    Listener(host: LoopbackHost.address, port: port, group: nil, certificate: nil, pipeline: pipeline)
  }

  private static func connect(_ port: Int) async throws -> any Channel {
    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: LoopbackHost.address, port: port).get()
  }

  private static func until(_ isTrue: () -> Bool) async throws {
    while !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("whoever waits for the address gets it, and so does who asks later")
  func address() async throws {
    let port = Self.port()
    let early = Task { try await port.boundPort }
    let open = try await port.open { Self.listener() }
    #expect(try await early.value == open.number)
    #expect(try await port.boundAddress.port == open.number)
    await open.close(grace: .zero)
  }

  @Test("what keeps the port from listening is told to whoever opens it and to whoever waits")
  func failure() async throws {
    struct Obstacle: Error {}
    let port = Self.port()
    let early = Task { try await port.boundPort }
    await #expect(throws: Obstacle.self) { try await port.open { throw Obstacle() } }
    await #expect(throws: Obstacle.self) { try await early.value }
    let taken = Self.port()
    let open = try await taken.open { Self.listener() }
    let second = Self.port()
    await #expect(throws: IOError.self) { try await second.open { Self.listener(port: open.number) } }
    await #expect(throws: IOError.self) { try await second.boundAddress }
    await open.close(grace: .zero)
  }

  @Test("one connection too many is closed, and the others stay")
  func full() async throws {
    let port = Self.port(limit: 1)
    let open = try await port.open { Self.listener() }
    let first = try await Self.connect(open.number)
    try await Self.until { port.connectionCount == 1 }
    try await Self.connect(open.number).closeFuture.get()
    #expect(first.isActive && port.connectionCount == 1)
    await open.close(grace: .zero)
  }

  @Test("a stop takes no more connections and waits for those that end by themselves")
  func graceful() async throws {
    let port = Self.port()
    let open = try await port.open { Self.listener() }
    let client = try await Self.connect(open.number)
    try await Self.until { port.connectionCount == 1 }
    // Far longer than the test may last: it is not waited for.
    await open.close(grace: .seconds(600))
    #expect(port.connectionCount == 0)
    try await client.closeFuture.get()
    await #expect(throws: (any Error).self) { try await Self.connect(open.number) }
  }

  @Test("a connection that does not end is cut, and at once if the task is cancelled")
  func cut() async throws {
    for isCancelled in [false, true] {
      let port = Self.port()
      let open = try await port.open { Self.listener(SilentPipeline(closesAtStop: false)) }
      let client = try await Self.connect(open.number)
      try await Self.until { port.connectionCount == 1 }
      let closing = Task { await open.close(grace: isCancelled ? .seconds(600) : .milliseconds(50)) }
      if isCancelled { closing.cancel() }
      await closing.value
      #expect(port.connectionCount == 0)
      try await client.closeFuture.get()
    }
  }

  @Test("a stop that a close is to follow waits for nobody who outlives it, and goes on taking connections")
  func outliving() async throws {
    let port = Self.port()
    let open = try await port.open { Self.listener(SilentPipeline(outlivesStop: true)) }
    let client = try await Self.connect(open.number)
    try await Self.until { port.connectionCount == 1 }
    await open.stop(grace: .seconds(600)) {}
    #expect(client.isActive)
    let late = try await Self.connect(open.number)
    try await Self.until { port.connectionCount == 2 }
    await open.close(grace: .seconds(600))
    #expect(port.connectionCount == 0)
    for client in [client, late] { try await client.closeFuture.get() }
    await #expect(throws: (any Error).self) { try await Self.connect(open.number) }
  }

  @Test("what else has to end does so before the connections are waited for")
  func order() async throws {
    let port = Self.port()
    let open = try await port.open { Self.listener(SilentPipeline(closesAtStop: false)) }
    let client = try await Self.connect(open.number)
    try await Self.until { port.connectionCount == 1 }
    await open.close(grace: .seconds(600)) { client.close(promise: nil) }
    #expect(port.connectionCount == 0)
  }
}
