import CoreMetrics
import EventSourcing
import Metrics
import PushDomain
import Synchronization

/// What the couriers do, by lane, app and outcome. Labels come from the configuration: there are few of them.
package final class CourierMetrics: Sendable {
  private struct Key: Hashable {
    let name: String
    let dimensions: [String]
  }

  private let counters = Mutex<[Key: Counter]>([:])
  private let timers = Mutex<[Key: Metrics.Timer]>([:])
  private let gauges = Mutex<[Key: Gauge]>([:])
  /// The lanes whose backlog was said last.
  private let reported = Mutex<Set<String>>([])

  private static let reasonsMaximum = 1_000

  init() {}

  /// One attempt has ended, which took so long.
  func attempted(lane: String, app: String, outcome: String, reason: String, after age: Duration) {
    counter(
      "carillon.push.attempts", [("lane", lane), ("app", app), ("outcome", outcome), ("reason", known(reason))]
    ).increment()
    timer("carillon.push.latency", [("lane", lane), ("app", app), ("outcome", outcome)])
      .recordMilliseconds(age.wholeMilliseconds)
  }

  /// A push has come to its end.
  func settled(_ outcome: FinalPushOutcome) {
    counter("carillon.push.settled", [("outcome", outcome.name)]).increment()
  }

  package func skipped(type: String) { counter("carillon.push.skipped", [("type", type)]).increment() }

  func deviceEnded(reason: String) { counter("carillon.devices.ended", [("reason", known(reason))]).increment() }

  func changed(_ lane: String, to condition: CourierLaneMachine.Condition) {
    counter("carillon.lane.changes", [("lane", lane), ("to", condition.word)]).increment()
  }

  func report(_ lane: String, _ summary: CourierLanes.Summary) {
    gauge("carillon.lane.waiting", [("lane", lane)]).record(summary.waiting)
    gauge("carillon.lane.running", [("lane", lane)]).record(summary.running)
    gauge("carillon.lane.open", [("lane", lane)]).record(summary.open)
    gauge("carillon.lane.off", [("lane", lane)]).record(summary.off)
    gauge("carillon.lane.oldest_seconds", [("lane", lane)]).record(Double(summary.oldestAge.wholeMilliseconds) / 1_000)
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
    gauge("carillon.push.queue_depth", [("lane", lane), ("priority", "high")]).record(urgent)
    gauge("carillon.push.queue_depth", [("lane", lane), ("priority", "normal")]).record(normal)
    gauge("carillon.push.oldest_age_seconds", [("lane", lane)]).record(age)
  }

  func report(deadLetters count: Int) { gauge("carillon.push.dead_letters", []).record(count) }

  func report(devices count: Int, type: String, isLive: Bool) {
    gauge("carillon.devices", [("type", type), ("state", isLive ? "live" : "ended")]).record(count)
  }

  /// A provider may say anything: beyond a bound its words are not told apart.
  private func known(_ reason: String) -> String {
    counters.withLock { $0.count < Self.reasonsMaximum } ? String(reason.prefix(48)) : "other"
  }

  private func counter(_ name: String, _ dimensions: [(String, String)]) -> Counter {
    let key = Key(name: name, dimensions: dimensions.map(\.1))
    return counters.withLock { counters in
      if let counter = counters[key] { return counter }
      let counter = Counter(label: name, dimensions: dimensions)
      counters[key] = counter
      return counter
    }
  }

  private func timer(_ name: String, _ dimensions: [(String, String)]) -> Metrics.Timer {
    let key = Key(name: name, dimensions: dimensions.map(\.1))
    return timers.withLock { timers in
      if let timer = timers[key] { return timer }
      let timer = Metrics.Timer(label: name, dimensions: dimensions)
      timers[key] = timer
      return timer
    }
  }

  private func gauge(_ name: String, _ dimensions: [(String, String)]) -> Gauge {
    let key = Key(name: name, dimensions: dimensions.map(\.1))
    return gauges.withLock { gauges in
      if let gauge = gauges[key] { return gauge }
      let gauge = Gauge(label: name, dimensions: dimensions)
      gauges[key] = gauge
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
