import Metrics

/// The server's metrics; the handles are made once, because looking them up costs more than counting.
struct CCSMetrics: Sendable {
  private let refused = Counter(label: "carillon_ccs_connections_refused_total")
  private let loginsAccepted = Counter(label: "carillon_ccs_logins_total", dimensions: [("result", "accepted")])
  private let loginsRefused = Counter(label: "carillon_ccs_logins_total", dimensions: [("result", "refused")])
  private let received = Counter(label: "carillon_ccs_messages_received_total")
  private let acked = Counter(label: "carillon_ccs_answers_total", dimensions: [("result", "ack")])
  private let nacked = Counter(label: "carillon_ccs_answers_total", dimensions: [("result", "nack")])
  private let delivered = Counter(label: "carillon_ccs_deliveries_total")
  private let acknowledged = Counter(label: "carillon_ccs_acknowledgements_total")

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
    Counter(label: "carillon_ccs_closes_total", dimensions: [("reason", reason)]).increment()
  }
}
