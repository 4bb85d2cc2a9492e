import CoreMetrics
import EngineKit
import Metrics

/// What operators are shown of Comet sessions and of application channels.
struct ChannelMetricKeys: MetricTable {
  static let keys = ChannelMetricKeys()

  let published = MetricKey("carillon.channels.published", "Messages that were published on application channels.")
  let delivered = MetricKey(
    "carillon.channels.delivered", "Copies of them that went into the queues of Comet sessions.")
  let overflowed = MetricKey(
    "carillon.comet.overflowed", "Comet sessions that were dropped because their queue had reached its bound.")

  init() {}
}

/// The same, looked up once.
struct ChannelMetrics: Sendable {
  private let publishedCount = Counter(ChannelMetricKeys.keys.published)
  private let deliveredCount = Counter(ChannelMetricKeys.keys.delivered)
  private let overflowedCount = Counter(ChannelMetricKeys.keys.overflowed)

  func published(to receivers: Int) {
    publishedCount.increment()
    deliveredCount.increment(by: receivers)
  }

  func overflowed() { overflowedCount.increment() }
}
