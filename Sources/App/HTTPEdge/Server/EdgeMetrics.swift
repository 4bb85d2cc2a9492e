import Metrics
import Synchronization

/// The edge's metrics; the handles are made once, because looking them up costs more than counting.
struct EdgeMetrics: Sendable {
  /// For each surface, one counter for each of the status classes 1xx to 5xx.
  private let responses: [[Counter]]
  private let connectionsRefused: Counter
  private let clientsDeparted: Counter
  private let webSocketMessages: Counter

  init() {
    responses = Surface.allCases.map { surface in
      (1...5).map { statusClass in
        Counter(
          label: "carillon_http_responses_total",
          dimensions: [("surface", surface.name), ("status", "\(statusClass)xx")])
      }
    }
    connectionsRefused = Counter(label: "carillon_http_connections_refused_total")
    clientsDeparted = Counter(label: "carillon_http_clients_departed_total")
    webSocketMessages = Counter(label: "carillon_websocket_messages_total")
  }

  func countResponse(_ surface: Surface, status: Int) {
    guard (100...599).contains(status) else { return }
    responses[surface.rawValue][status / 100 - 1].increment()
  }

  func countRefusedConnection() { connectionsRefused.increment() }
  /// A client that left while its poll was held.
  func countDepartedClient() { clientsDeparted.increment() }
  func countWebSocketMessage() { webSocketMessages.increment() }
}

/// A number of things that are open, counted against a limit from every event loop.
final class OpenCount: Sendable {
  private let count = Atomic<Int>(0)
  private let gauge: Gauge

  init(label: String) { gauge = Gauge(label: label) }

  var current: Int { count.load(ordering: .relaxed) }

  /// False at the limit; then nothing is counted.
  @discardableResult
  func open(limit: Int = .max) -> Bool {
    let (_, new) = count.add(1, ordering: .relaxed)
    guard new <= limit else {
      count.subtract(1, ordering: .relaxed)
      return false
    }
    gauge.record(new)
    return true
  }

  func close() {
    let (_, new) = count.subtract(1, ordering: .relaxed)
    gauge.record(new)
  }
}
