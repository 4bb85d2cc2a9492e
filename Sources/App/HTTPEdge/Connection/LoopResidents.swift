import NIOCore

/// A connection, as its event loop's housekeeping sees it. Called on that event loop only.
protocol LoopResident: AnyObject {
  /// The deadline that was set has passed; it is cleared.
  func deadlinePassed()
  /// The server stops: close now if nothing is in progress, else after it.
  func serverStops()
  /// The server has waited long enough.
  func cut()
}

/// The connections of one event loop, their deadlines, and the one repeated task that looks at them.
///
/// Safe to share because all state is touched on `eventLoop` only, which `assertInEventLoop` checks; `start`,
/// `stopAll`, `cutAll` and `end` go there.
final class LoopResidents: @unchecked Sendable {
  let eventLoop: any EventLoop
  private var wheel = DeadlineWheel<any LoopResident>()
  private var ticking: RepeatedTask?
  private(set) var isStopping = false

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func start() {
    eventLoop.execute { [self] in
      let interval = TimeAmount.milliseconds(EdgeLimits.tickMilliseconds)
      ticking = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in
        for resident in wheel.advance() { resident.deadlinePassed() }
      }
    }
  }

  func end() {
    eventLoop.execute { [self] in
      ticking?.cancel()
      ticking = nil
    }
  }

  func add(_ resident: any LoopResident) -> DeadlineWheel<any LoopResident>.Place {
    eventLoop.assertInEventLoop()
    return wheel.insert(resident)
  }

  func remove(_ place: DeadlineWheel<any LoopResident>.Place) {
    eventLoop.assertInEventLoop()
    wheel.remove(place)
  }

  /// Replaces the deadline of the resident at `place`.
  func setDeadline(of place: DeadlineWheel<any LoopResident>.Place, after duration: Duration) {
    eventLoop.assertInEventLoop()
    wheel.setDeadline(of: place, after: Self.ticks(duration))
  }

  func clearDeadline(of place: DeadlineWheel<any LoopResident>.Place) {
    eventLoop.assertInEventLoop()
    wheel.clearDeadline(of: place)
  }

  /// The loop's time, counted in ticks.
  var now: Int64 { wheel.now }

  func stopAll() {
    eventLoop.execute { [self] in
      isStopping = true
      for resident in wheel.residents { resident.serverStops() }
    }
  }

  func cutAll() {
    eventLoop.execute { [self] in
      for resident in wheel.residents { resident.cut() }
    }
  }

  /// Rounded up, and one more because the current tick has begun already: a deadline is late rather than early.
  static func ticks(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return (milliseconds + EdgeLimits.tickMilliseconds - 1) / EdgeLimits.tickMilliseconds + 1
  }
}
