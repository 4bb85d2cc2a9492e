import NIOCore

/// A connection, as its event loop's housekeeping sees it. Called on that event loop only.
protocol SweepResident: AnyObject {
  /// The deadline that was set has passed; it is cleared.
  func deadlinePassed()
  /// The server stops: say so, and close.
  func serverStops()
  /// The server has waited long enough.
  func cut()
}

/// The connections of one event loop and their deadlines, and the one repeated task that looks at them.
///
/// Deadlines lie densely in an array: to look at ten thousand takes a few microseconds twice a second, and setting one
/// is a store. (Polls are set and cleared far more often than they come due: for them `HTTPEdge` has a wheel.)
///
/// Safe to share because all state is touched on `eventLoop` only, which `assertInEventLoop` checks; `start`,
/// `stopAll`, `cutAll` and `end` go there.
final class DeadlineSweep: @unchecked Sendable {
  typealias Place = Int

  let eventLoop: any EventLoop
  /// In ticks; `.max` without one.
  private var deadlines: [Int64] = []
  private var residents: [(any SweepResident)?] = []
  private var free: [Place] = []
  private var now: Int64 = 0
  private var ticking: RepeatedTask?
  private(set) var isStopping = false

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func add(_ resident: any SweepResident) -> Place {
    eventLoop.assertInEventLoop()
    if let place = free.popLast() {
      residents[place] = resident
      return place
    }
    residents.append(resident)
    deadlines.append(.max)
    return residents.count - 1
  }

  func remove(_ place: Place) {
    eventLoop.assertInEventLoop()
    residents[place] = nil
    deadlines[place] = .max
    free.append(place)
  }

  /// Replaces the deadline: late rather than early, because the current tick has begun already.
  func setDeadline(of place: Place, after duration: Duration) {
    eventLoop.assertInEventLoop()
    let ticks = duration / .milliseconds(DeadlineSweep.tick)
    deadlines[place] = now + 1 + Int64(min(max(ticks.rounded(.up), 0), Double(Int32.max)))
  }

  /// Counts one tick, and calls whose deadline has passed. A resident may go, come and set its deadline meanwhile.
  func advance() {
    now += 1
    var place = 0
    while place < deadlines.count {
      if deadlines[place] <= now {
        deadlines[place] = .max
        residents[place]?.deadlinePassed()
      }
      place += 1
    }
  }

  private static let tick = DeviceEdgeLimits.tickMilliseconds

  // MARK: From anywhere

  func start() {
    eventLoop.execute { [self] in
      let interval = TimeAmount.milliseconds(Self.tick)
      ticking = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in advance() }
    }
  }

  func end() {
    eventLoop.execute { [self] in
      ticking?.cancel()
      ticking = nil
    }
  }

  func stopAll() {
    eventLoop.execute { [self] in
      isStopping = true
      for resident in residents { resident?.serverStops() }
    }
  }

  func cutAll() {
    eventLoop.execute { [self] in
      for resident in residents { resident?.cut() }
    }
  }
}

/// The sweeps of all event loops of a group.
struct DeadlineSweeps: Sendable {
  private let byLoop: [ObjectIdentifier: DeadlineSweep]

  init(group: any EventLoopGroup) {
    var byLoop: [ObjectIdentifier: DeadlineSweep] = [:]
    for loop in group.makeIterator() { byLoop[ObjectIdentifier(loop)] = DeadlineSweep(eventLoop: loop) }
    self.byLoop = byLoop
  }

  /// Nil for a loop of another group.
  subscript(loop: any EventLoop) -> DeadlineSweep? { byLoop[ObjectIdentifier(loop)] }

  func start() { for sweep in byLoop.values { sweep.start() } }
  func stopAll() { for sweep in byLoop.values { sweep.stopAll() } }
  func cutAll() { for sweep in byLoop.values { sweep.cutAll() } }
  func end() { for sweep in byLoop.values { sweep.end() } }
}
