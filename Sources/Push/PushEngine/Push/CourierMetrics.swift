import CoreMetrics
import EngineKit
import EventSourcing
import Metrics
import PushDomain
import Synchronization

/// What the couriers do, by lane, app and outcome. Labels come from the configuration: there are few of them.
package final class CourierMetrics: Sendable {
  private struct Series: Hashable {
    let label: String
    let dimensions: [String]
  }

  private let counters = Mutex<[Series: Counter]>([:])
  private let timers = Mutex<[Series: Metrics.Timer]>([:])
  /// What both say of an attempt, found in one look.
  private struct Attempt: Hashable {
    let lane: String
    let app: String
    let outcome: String
    let reason: String
  }

  private let attempts = Mutex<[Attempt: (ended: Counter, latency: Metrics.Timer)]>([:])
  private let gauges = Mutex<[Series: Gauge]>([:])
  /// The lanes whose backlog was said last.
  private let reported = Mutex<Set<String>>([])

  private let metric = CourierMetricKeys.keys

  private static let reasonsMaximum = 1_000

  init() {}

  /// One attempt has ended, which took so long.
  func attempted(lane: String, app: String, outcome: String, reason: String, after age: Duration) {
    let attempt = Attempt(lane: lane, app: app, outcome: outcome, reason: known(reason))
    let found = attempts.withLock { attempts in
      if let found = attempts[attempt] { return found }
      let made = (
        ended: counter(
          metric.attempts, [("lane", lane), ("app", app), ("outcome", outcome), ("reason", attempt.reason)]),
        latency: timer(metric.latency, [("lane", lane), ("app", app), ("outcome", outcome)])
      )
      attempts[attempt] = made
      return made
    }
    found.ended.increment()
    found.latency.recordMilliseconds(age.wholeMilliseconds)
  }

  /// A push has come to its end.
  func settled(_ outcome: FinalPushOutcome) {
    counter(metric.settled, [("outcome", outcome.name)]).increment()
  }

  package func skipped(type: String) { counter(metric.skipped, [("type", type)]).increment() }

  func deviceEnded(reason: String) { counter(metric.devicesEnded, [("reason", known(reason))]).increment() }

  func changed(_ lane: String, to condition: CourierLaneMachine.Condition) {
    counter(metric.laneChanges, [("lane", lane), ("to", condition.word)]).increment()
  }

  func report(_ lane: String, _ summary: CourierLanes.Summary) {
    gauge(metric.laneWaiting, [("lane", lane)]).record(summary.waiting)
    gauge(metric.laneRunning, [("lane", lane)]).record(summary.running)
    gauge(metric.laneOpen, [("lane", lane)]).record(summary.open)
    gauge(metric.laneOff, [("lane", lane)]).record(summary.off)
    gauge(metric.laneOldest, [("lane", lane)]).record(Double(summary.oldestAge.wholeMilliseconds) / 1_000)
  }

  /// What waits, by lane; a lane of which nothing is said any more has nothing.
  func report(_ backlogs: [String: DeadLetterIndex.Backlog], now: Timestamp) {
    let silent = reported.withLock { reported in
      let silent = reported.subtracting(backlogs.keys)
      reported = Set(backlogs.keys)
      return silent
    }
    for lane in silent { report(lane, urgent: 0, normal: 0, age: 0) }
    for (lane, backlog) in backlogs {
      let age = max(0, now.milliseconds - backlog.since.milliseconds)
      report(lane, urgent: backlog.urgent, normal: backlog.normal, age: Double(age) / 1_000)
    }
  }

  private func report(_ lane: String, urgent: Int, normal: Int, age: Double) {
    gauge(metric.queueDepth, [("lane", lane), ("priority", "high")]).record(urgent)
    gauge(metric.queueDepth, [("lane", lane), ("priority", "normal")]).record(normal)
    gauge(metric.oldestAge, [("lane", lane)]).record(age)
  }

  func report(deadLetters count: Int) { gauge(metric.deadLetters, []).record(count) }

  /// All pushes that have not been delivered, by where they are.
  func report(_ backlogs: some Collection<DeadLetterIndex.Backlog>, running: Int, dead: Int) {
    let retrying = backlogs.reduce(0) { $0 + $1.retrying }
    let all = backlogs.reduce(0) { $0 + $1.urgent + $1.normal }
    for (state, count) in [
      ("waiting", all - retrying), ("running", running), ("retrying", retrying), ("dead", dead),
    ] {
      gauge(metric.pushes, [("state", state)]).record(count)
    }
  }

  func report(devices count: Int, type: String, isLive: Bool) {
    gauge(metric.devices, [("type", type), ("state", isLive ? "live" : "ended")]).record(count)
  }

  /// A provider may say anything: beyond a bound its words are not told apart.
  private func known(_ reason: String) -> String {
    if reason.isEmpty { return reason }
    return counters.withLock { $0.count < Self.reasonsMaximum } ? String(reason.prefix(48)) : "other"
  }

  private func counter(_ metric: MetricKey, _ dimensions: [(String, String)]) -> Counter {
    let series = Series(label: metric.label, dimensions: dimensions.map(\.1))
    return counters.withLock { counters in
      if let counter = counters[series] { return counter }
      let counter = Counter(metric, dimensions: dimensions)
      counters[series] = counter
      return counter
    }
  }

  private func timer(_ metric: MetricKey, _ dimensions: [(String, String)]) -> Metrics.Timer {
    let series = Series(label: metric.label, dimensions: dimensions.map(\.1))
    return timers.withLock { timers in
      if let timer = timers[series] { return timer }
      let timer = Metrics.Timer(label: metric.label, dimensions: dimensions)
      timers[series] = timer
      return timer
    }
  }

  private func gauge(_ metric: MetricKey, _ dimensions: [(String, String)]) -> Gauge {
    let series = Series(label: metric.label, dimensions: dimensions.map(\.1))
    return gauges.withLock { gauges in
      if let gauge = gauges[series] { return gauge }
      let gauge = Gauge(metric, dimensions: dimensions)
      gauges[series] = gauge
      return gauge
    }
  }
}

extension CourierLaneMachine.Condition {
  var word: String {
    switch self {
    case .closed: "closed"
    case .open: "open"
    case .off: "off"
    }
  }
}

extension PushOutcome {
  /// A word for metrics.
  var word: String {
    switch self {
    case .delivered: "delivered"
    case .retryable(_, _, let mayBeDelivered, _): mayBeDelivered ? "unknown" : "retry"
    case .rejected: "rejected"
    case .unprocessed: "unprocessed"
    case .refused: "refused"
    case .unregistered: "unregistered"
    case .endpointGone: "endpoint_gone"
    case .laneBroken: "lane_broken"
    case .lanePaused: "lane_paused"
    }
  }
}
