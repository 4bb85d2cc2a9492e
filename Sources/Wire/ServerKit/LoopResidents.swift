package import NIOCore

/// The connections of one event loop, their deadlines, and the one repeated task that looks at them.
///
/// Safe to share because all state is touched on `eventLoop` only, which `assertInEventLoop` checks; `start`,
/// `stopAll`, `cutAll` and `end` go there.
package final class LoopResidents: @unchecked Sendable {
  package typealias Place = DeadlineWheel<any LoopResident>.Place

  /// How often deadlines are looked at; each of them may be late by this much.
  package static let tickMilliseconds: Int64 = 250

  package let eventLoop: any EventLoop
  /// Connections that outlive the stop, on all loops of the port; each counts itself.
  package let outliving: OpenCount
  private var wheel = DeadlineWheel<any LoopResident>()
  private var ticking: RepeatedTask?
  package private(set) var isStopping = false

  package init(eventLoop: any EventLoop, outliving: OpenCount = OpenCount()) {
    self.eventLoop = eventLoop
    self.outliving = outliving
  }

  package func add(_ resident: any LoopResident) -> Place {
    eventLoop.assertInEventLoop()
    return wheel.insert(resident)
  }

  package func remove(_ place: Place) {
    eventLoop.assertInEventLoop()
    wheel.remove(place)
  }

  // MARK: Deadlines

  /// Replaces the deadline of the resident at `place`.
  package func setDeadline(of place: Place, after duration: Duration) {
    eventLoop.assertInEventLoop()
    wheel.setDeadline(of: place, after: Self.ticks(duration))
  }

  /// Replaces the deadline of the resident at `place` by a moment of the loop's time.
  package func setDeadline(of place: Place, at tick: Int64) {
    eventLoop.assertInEventLoop()
    wheel.setDeadline(of: place, after: tick - wheel.now)
  }

  package func clearDeadline(of place: Place) {
    eventLoop.assertInEventLoop()
    wheel.clearDeadline(of: place)
  }

  /// The loop's time, counted in ticks.
  package var now: Int64 { wheel.now }
  /// The loop's time in milliseconds: no finer than its ticks, and late by what they are late.
  package var milliseconds: Int64 { wheel.now * Self.tickMilliseconds }

  /// The loop's time at which `duration` has surely passed.
  package func tick(after duration: Duration) -> Int64 { now + Self.ticks(duration) }

  /// Rounded up, and one more because the current tick has begun already: a deadline is late rather than early.
  static func ticks(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    return (milliseconds + tickMilliseconds - 1) / tickMilliseconds + 1
  }

  /// Counts one tick, and calls whose deadline has passed. A resident may go, come and set its deadline meanwhile.
  func advance() {
    for resident in wheel.advance() { resident.deadlinePassed() }
  }

  // MARK: From anywhere

  func start() {
    eventLoop.execute { [self] in
      let interval = TimeAmount.milliseconds(Self.tickMilliseconds)
      ticking = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in advance() }
    }
  }

  func end() {
    eventLoop.execute { [self] in
      ticking?.cancel()
      ticking = nil
    }
  }

  /// - Parameter sparing: goes past those that outlive it.
  func stopAll(sparing: Bool = false) {
    eventLoop.execute { [self] in
      isStopping = true
      for resident in residents(sparing) { resident.serverStops() }
    }
  }

  /// - Parameter sparing: goes past those that outlive the stop.
  func cutAll(sparing: Bool = false) {
    eventLoop.execute { [self] in
      for resident in residents(sparing) { resident.cut() }
    }
  }

  private func residents(_ sparing: Bool) -> [any LoopResident] {
    wheel.residents.filter { !sparing || !$0.outlivesStop }
  }
}
