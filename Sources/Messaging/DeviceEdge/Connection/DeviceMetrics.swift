public import MCSProtocol
import Metrics

/// What is counted of devices' connections; the handles are made once, because looking them up costs more than counting.
public struct DeviceMetrics: Sendable {
  private let transport: String
  private let messagesOut: Counter
  private let messagesIn: Counter
  private let acceptances: Counter
  private let refusals: Counter
  private let failures: Counter

  /// - Parameter transport: `mcs` or `socket`.
  public init(transport: String) {
    self.transport = transport
    func counter(_ label: String, _ name: String, _ value: String) -> Counter {
      Counter(label: label, dimensions: [("transport", transport), (name, value)])
    }
    messagesOut = counter("carillon_device_messages_total", "direction", "out")
    messagesIn = counter("carillon_device_messages_total", "direction", "in")
    acceptances = counter("carillon_device_logins_total", "result", "accepted")
    refusals = counter("carillon_device_logins_total", "result", "refused")
    failures = counter("carillon_device_logins_total", "result", "unavailable")
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
    Counter(label: "carillon_device_closes_total", dimensions: [("transport", transport), ("reason", reason)])
      .increment()
  }
}
