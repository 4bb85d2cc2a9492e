import CallbackDomain
import CoreMetrics
import EngineKit
import EventSourcing
import Metrics

/// The metrics of callbacks, looked up once: whoever is paged sees whether customers wait, since when, and for whom.
struct CallbackMetrics: Sendable {
  private let byStatus = Dictionary(
    uniqueKeysWithValues: CallbackStatus.allCases.map {
      ($0, Gauge(CallbackMetricKeys.keys.open, dimensions: [("state", $0.name)]))
    })
  private let ended = Dictionary(
    uniqueKeysWithValues: CallbackReason.allCases.map {
      ($0, Counter(CallbackMetricKeys.keys.ended, dimensions: [("reason", $0.name)]))
    })
  private let waiting = Gauge(CallbackMetricKeys.keys.waiting)
  private let oldestSeconds = Gauge(CallbackMetricKeys.keys.oldest)
  private let agentsReady = Gauge(CallbackMetricKeys.keys.ready)
  private let agentsFree = Gauge(CallbackMetricKeys.keys.free)

  func ended(_ reason: CallbackReason) { ended[reason]?.increment() }

  func report(_ counts: [CallbackStatus: Int], _ load: CallbackRouter.Load, now: Timestamp) {
    for (status, gauge) in byStatus { gauge.record(counts[status] ?? 0) }
    waiting.record(load.waiting)
    oldestSeconds.record(load.oldest.map { max(0, now.seconds(since: $0)) } ?? 0)
    agentsReady.record(load.agentsReady)
    agentsFree.record(load.agentsFree)
  }
}
