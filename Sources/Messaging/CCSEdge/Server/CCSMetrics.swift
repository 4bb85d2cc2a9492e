import Metrics
import Synchronization

/// The server's metrics; the handles are made once, because looking them up costs more than counting.
final class CCSMetrics: Sendable {
  private let openCount = Atomic<Int>(0)
  private let connections = Gauge(label: "carillon_ccs_connections")
  private let refused = Counter(label: "carillon_ccs_connections_refused_total")
  private let loginsAccepted = Counter(label: "carillon_ccs_logins_total", dimensions: [("result", "accepted")])
  private let loginsRefused = Counter(label: "carillon_ccs_logins_total", dimensions: [("result", "refused")])
  private let received = Counter(label: "carillon_ccs_messages_received_total")
  private let acked = Counter(label: "carillon_ccs_answers_total", dimensions: [("result", "ack")])
  private let nacked = Counter(label: "carillon_ccs_answers_total", dimensions: [("result", "nack")])
  private let delivered = Counter(label: "carillon_ccs_deliveries_total")
  private let acknowledged = Counter(label: "carillon_ccs_acknowledgements_total")

  /// Connections that are open.
  var connectionCount: Int { openCount.load(ordering: .relaxed) }

  /// False at the limit; then nothing is counted but that.
  func open(limit: Int) -> Bool {
    let (_, new) = openCount.add(1, ordering: .relaxed)
    guard new <= limit else {
      openCount.subtract(1, ordering: .relaxed)
      refused.increment()
      return false
    }
    connections.record(new)
    return true
  }

  func close() {
    let (_, new) = openCount.subtract(1, ordering: .relaxed)
    connections.record(new)
  }

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
    Counter(label: "carillon_ccs_closes_total", dimensions: [("reason", reason)]).increment()
  }
}
