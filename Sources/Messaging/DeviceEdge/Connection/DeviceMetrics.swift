import EngineKit
public import MCSProtocol
import Metrics

/// What is counted of devices' connections; the handles are made once, because looking them up costs more than counting.
/// A class, to which each connection refers.
public final class DeviceMetrics: Sendable {
  private let transport: String
  private let messagesOut: Counter
  private let messagesIn: Counter
  private let acceptances: Counter
  private let refusals: Counter
  private let failures: Counter

  /// - Parameter transport: `mcs` or `socket`.
  public init(transport: String) {
    self.transport = transport
    func counter(_ key: MetricKey, _ name: String, _ value: String) -> Counter {
      Counter(key, dimensions: [("transport", transport), (name, value)])
    }
    messagesOut = counter(DeviceMetricKeys.keys.messages, "direction", "out")
    messagesIn = counter(DeviceMetricKeys.keys.messages, "direction", "in")
    acceptances = counter(DeviceMetricKeys.keys.logins, "result", "accepted")
    refusals = counter(DeviceMetricKeys.keys.logins, "result", "refused")
    failures = counter(DeviceMetricKeys.keys.logins, "result", "unavailable")
  }

  func countMessageOut() { messagesOut.increment() }
  func countMessageIn() { messagesIn.increment() }

  func count(_ answer: MCSLoginAnswer) {
    switch answer {
    case .accepted: acceptances.increment()
    case .refused: refusals.increment()
    case .unavailable: failures.increment()
    }
  }

  /// A connection that the server has ended, by its reason. Rare enough to be looked up.
  public func count(_ closing: MCSClosing) { countClosed(closing.name) }

  /// A connection that there was no room for.
  func countRefused() { countClosed("no-room") }

  private func countClosed(_ reason: String) {
    Counter(DeviceMetricKeys.keys.closes, dimensions: [("transport", transport), ("reason", reason)])
      .increment()
  }
}
