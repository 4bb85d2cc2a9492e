import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import PushDomain
import Synchronization

/// Carries out what courier lanes say.
protocol LaneRunner: AnyObject, Sendable {
  /// Begins an attempt of the queue, and then says `ended` or `released`. False if there is no room for it now.
  func start(_ key: String, _ lane: CourierLane) -> Bool
  /// Ends what the queue has next, unsent, and then says `released`. False if there is no room for it now.
  func refuse(_ key: String, _ lane: CourierLane, _ reason: String) -> Bool
  /// An endpoint has been switched off.
  func disabled(_ lane: CourierLane, _ reason: String)
}

/// The courier lanes that are in use, each with its machine; carries out what the machines say.
///
/// Lanes come with the first push that takes them and go when they are idle: there may be as many as there are endpoints.
final class CourierLanes: Sendable {
  private struct Entry {
    let lane: CourierLane
    var machine: CourierLaneMachine
    var timer: TimerWheel.Handle?
    /// Why it is not closed.
    var reason: String?
  }

  private let lanes = Mutex<[String: Entry]>([:])
  private let context: RuntimeContext
  private let limits: EngineLimits
  private let random: @Sendable () -> Double
  private let metrics: CourierMetrics
  private let logger: Logger
  private let bound = Mutex<(any LaneRunner)?>(nil)

  init(
    context: RuntimeContext, limits: EngineLimits, random: @escaping @Sendable () -> Double, metrics: CourierMetrics,
    logger: Logger
  ) {
    self.context = context
    self.limits = limits
    self.random = random
    self.metrics = metrics
    self.logger = logger
  }

  /// Says, once, who carries out what they say.
  func bind(_ runner: any LaneRunner) { bound.withLock { $0 = runner } }

  private var runner: (any LaneRunner)? { bound.withLock { $0 } }

  // MARK: For the dispatcher

  func offer(_ key: String, on lane: CourierLane, _ priority: PushPriority, since: Timestamp) {
    change(lane) { machine, now in machine.offer(key, priority, since: since, now: now) }
  }

  /// - Returns: true if the queue has its place at once: `ended` or `released` has to follow.
  func reserve(_ key: String, on lane: CourierLane) -> Bool {
    var isReserved = false
    change(lane) { machine, now in
      isReserved = machine.reserve(key, now: now)
      return []
    }
    return isReserved
  }

  /// - Returns: what the queue is to be told.
  func ended(_ key: String, on lane: CourierLane, _ outcome: PushOutcome) -> PushOutcome {
    let jitter = random()
    var told = outcome
    change(lane) { machine, now in
      let (answer, actions) = machine.ended(key, outcome, jitter: jitter, now: now)
      told = answer
      return actions
    }
    return told
  }

  func released(_ key: String, on lane: CourierLane) {
    change(lane) { machine, now in machine.released(key, now: now) }
  }

  /// What was broken may be whole again.
  func reset() {
    for lane in lanes.withLock({ $0.values.map(\.lane) }) { reset(lane) }
  }

  func reset(_ lane: CourierLane) {
    change(lane) { machine, now in machine.reset(now: now) }
  }

  // MARK: For people

  /// One line for each label, for metrics and the operator.
  struct Summary: Sendable, Equatable {
    var lanes = 0
    var waiting = 0
    var running = 0
    /// Lanes whose breaker is open, and those that are switched off.
    var open = 0
    var off = 0
    var oldestAge = Duration.zero
    /// Why, of one of those that are not closed, and when the first of them sends a probe: from now.
    var reason: String?
    var untilProbe: Duration?
  }

  /// How many lanes are not closed.
  var openCount: Int { lanes.withLock { $0.values.count { $0.machine.condition != .closed } } }

  /// How one lane is.
  struct Look: Sendable, Equatable {
    let condition: CourierLaneMachine.Condition
    let reason: String?
    let untilProbe: Duration?
  }

  /// Nil for a lane that is not in use.
  func look(at lane: CourierLane) -> Look? {
    let now = monotonicNow
    return lanes.withLock { lanes in
      lanes[lane.id].map { entry in
        let untilProbe = Self.untilProbe(entry.machine, now)
        return Look(condition: entry.machine.condition, reason: entry.reason, untilProbe: untilProbe)
      }
    }
  }

  private static func untilProbe(_ machine: CourierLaneMachine, _ now: Timestamp) -> Duration? {
    machine.nextProbe.map { .milliseconds(max(0, $0.milliseconds - now.milliseconds)) }
  }

  /// A clock that nobody sets: breakers and pauses are spans.
  private var monotonicNow: Timestamp { Timestamp(milliseconds: context.time.monotonicMilliseconds) }

  func summaries() -> [String: Summary] {
    let (now, monotonicNow) = (context.time.now, monotonicNow)
    return lanes.withLock { lanes in
      var found: [String: Summary] = [:]
      for entry in lanes.values {
        var summary = found[entry.lane.label] ?? Summary()
        summary.lanes += 1
        summary.waiting += entry.machine.waitingCount
        summary.running += entry.machine.runningCount
        if entry.machine.condition == .open { summary.open += 1 }
        if entry.machine.condition == .off { summary.off += 1 }
        summary.reason = summary.reason ?? entry.reason
        let untilProbe = Self.untilProbe(entry.machine, monotonicNow)
        summary.untilProbe = [summary.untilProbe, untilProbe].compactMap(\.self).min()
        summary.oldestAge = max(summary.oldestAge, entry.machine.oldestAge(now: now))
        found[entry.lane.label] = summary
      }
      return found
    }
  }

  // MARK: The machine

  private func change(
    _ lane: CourierLane, _ body: (inout CourierLaneMachine, Timestamp) -> [CourierLaneMachine.Action]
  ) {
    let now = monotonicNow
    let actions = lanes.withLock { lanes in
      let isNew = lanes[lane.id] == nil
      var entry =
        lanes.removeValue(forKey: lane.id)
        ?? Entry(lane: lane, machine: CourierLaneMachine(settings: CourierLaneMachine.Settings(lane)))
      // The provider may have other bounds since the last reload.
      entry.machine.settings.inFlightMaximum = lane.inFlightMaximum
      entry.machine.settings.perSecondMaximum = lane.perSecondMaximum
      let actions = body(&entry.machine, now)
      for case .changed(let condition, let reason) in actions { entry.reason = condition == .closed ? nil : reason }
      for case .arm(let at) in actions {
        if let timer = entry.timer { context.timers.cancel(timer) }
        let delay = at.milliseconds.subtractingReportingOverflow(now.milliseconds).partialValue
        entry.timer = context.timers.schedule(afterMilliseconds: delay) { [weak self] in self?.tick(lane) }
      }
      lanes[lane.id] = entry
      if isNew, lanes.count > limits.lanesKeptMaximum { Self.forgetIdle(&lanes, except: lane.id, now) }
      return actions
    }
    for action in actions { perform(action, lane) }
  }

  /// Lanes come with every new endpoint.
  private static func forgetIdle(_ lanes: inout [String: Entry], except kept: String, _ now: Timestamp) {
    for (id, entry) in lanes where id != kept && entry.machine.isIdle(at: now) { lanes[id] = nil }
  }

  /// There is no room for this turn, among the pushes under way or in the journal: it is not lost, but comes again.
  func again(_ turn: CourierLaneMachine.Action, _ lane: CourierLane, afterMilliseconds delay: Int64) {
    _ = context.timers.schedule(afterMilliseconds: delay) { [weak self] in self?.perform(turn, lane) }
  }

  private func tick(_ lane: CourierLane) {
    change(lane) { machine, now in machine.tick(now: now) }
  }

  private func perform(_ action: CourierLaneMachine.Action, _ lane: CourierLane) {
    switch action {
    case .start(let key):
      if runner?.start(key, lane) == false { again(action, lane, afterMilliseconds: limits.pushRetryMilliseconds) }
    case .refuse(let key, let reason):
      if runner?.refuse(key, lane, reason) == false {
        again(action, lane, afterMilliseconds: limits.pushRetryMilliseconds)
      }
    case .arm:
      break
    case .changed(let condition, let reason):
      metrics.changed(lane.label, to: condition)
      let metadata: Logger.Metadata = ["lane": "\(lane.label)", "reason": "\(reason)"]
      switch condition {
      case .closed: logger.notice("pushes go out again", metadata: metadata)
      case .open: logger.error("pushes wait: their provider cannot be used", metadata: metadata)
      case .off:
        logger.critical("an endpoint is switched off: it is gone, or has failed for days", metadata: metadata)
        runner?.disabled(lane, reason)
      }
    }
  }
}
