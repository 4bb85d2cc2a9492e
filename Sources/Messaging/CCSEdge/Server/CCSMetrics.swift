import EngineKit
import Metrics

/// The server's metrics; the handles are made once, because looking them up costs more than counting.
struct CCSMetrics: Sendable {
  private let refused = Counter(CCSMetricKeys.keys.connectionsRefused)
  private let loginsAccepted = Counter(CCSMetricKeys.keys.logins, dimensions: [("result", "accepted")])
  private let loginsRefused = Counter(CCSMetricKeys.keys.logins, dimensions: [("result", "refused")])
  private let received = Counter(CCSMetricKeys.keys.messages)
  private let acked = Counter(CCSMetricKeys.keys.answers, dimensions: [("result", "ack")])
  private let nacked = Counter(CCSMetricKeys.keys.answers, dimensions: [("result", "nack")])
  private let delivered = Counter(CCSMetricKeys.keys.deliveries)
  private let acknowledged = Counter(CCSMetricKeys.keys.acknowledgements)

  /// A connection that there was no room for.
  func countRefused() { refused.increment() }
  func countLogin(accepted: Bool) { (accepted ? loginsAccepted : loginsRefused).increment() }
  /// A downstream message has been given to the engine.
  func countMessage() { received.increment() }
  func countAnswer(isAck: Bool) { (isAck ? acked : nacked).increment() }
  /// A message of a device, or a receipt, has been written.
  func countDelivery() { delivered.increment() }
  /// It has come back.
  func countAcknowledgement() { acknowledged.increment() }

  /// - Parameter reason: one of a few words: a stream error's name, or ours.
  func countClosing(_ reason: String) {
    Counter(CCSMetricKeys.keys.closes, dimensions: [("reason", reason)]).increment()
  }
}
