import NIOCore

/// The connections of one event loop, and the one repeated task that looks at their deadlines. App servers have few
/// connections and keep them, so that looking at each of them a few times in a second costs nothing.
///
/// Safe to share because all state is touched on `eventLoop` only.
final class CCSLoopConnections: @unchecked Sendable {
  let eventLoop: any EventLoop
  private var connections: [ObjectIdentifier: CCSConnectionHandler] = [:]
  private var ticking: RepeatedTask?
  private(set) var isDraining = false
  /// The loop's time, counted in ticks.
  private(set) var now: Int64 = 0

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func start() {
    eventLoop.execute { [self] in
      let interval = TimeAmount(CCSLimits.tick)
      ticking = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in
        now += 1
        // A copy: a connection that closes leaves the list.
        for connection in Array(connections.values) { connection.ticked(now) }
      }
    }
  }

  func end() {
    eventLoop.execute { [self] in
      ticking?.cancel()
      ticking = nil
    }
  }

  func add(_ connection: CCSConnectionHandler) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = connection
  }

  func remove(_ connection: CCSConnectionHandler) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = nil
  }

  func drainAll() {
    eventLoop.execute { [self] in
      isDraining = true
      for connection in Array(connections.values) { connection.drain() }
    }
  }

  func cutAll() {
    eventLoop.execute { [self] in
      for connection in Array(connections.values) { connection.cut("cut") }
    }
  }

  /// The tick at which `duration` has surely passed: one more, because the current one has begun already.
  func tick(after duration: Duration) -> Int64 { now + Int64((duration / CCSLimits.tick).rounded(.up)) + 1 }
}

/// The connections of all event loops.
struct CCSConnections: Sendable {
  private let byLoop: [ObjectIdentifier: CCSLoopConnections]

  init(group: any EventLoopGroup) {
    var byLoop: [ObjectIdentifier: CCSLoopConnections] = [:]
    for loop in group.makeIterator() { byLoop[ObjectIdentifier(loop)] = CCSLoopConnections(eventLoop: loop) }
    self.byLoop = byLoop
  }

  /// Nil for a loop of another group.
  subscript(loop: any EventLoop) -> CCSLoopConnections? { byLoop[ObjectIdentifier(loop)] }

  func forEach(_ body: (CCSLoopConnections) -> Void) { byLoop.values.forEach(body) }
}
