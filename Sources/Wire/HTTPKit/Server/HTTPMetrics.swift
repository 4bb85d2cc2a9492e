import EngineKit
import Metrics

/// An HTTP server's metrics; the handles are made once, because looking them up costs more than counting.
package struct HTTPMetrics: Sendable {
  /// For each surface, one counter for each of the status classes 1xx to 5xx.
  private let responses: [[Counter]]
  private let connectionsRefused: Counter
  private let clientsDeparted: Counter
  private let webSocketMessages: Counter

  /// - Parameter surfaces: their names, by `HTTPSurface.number`.
  package init(surfaces: [String]) {
    responses = surfaces.map { surface in
      (1...5).map { statusClass in
        Counter(
          EdgeMetricKeys.keys.responses, dimensions: [("surface", surface), ("status", "\(statusClass)xx")])
      }
    }
    connectionsRefused = Counter(EdgeMetricKeys.keys.connectionsRefused)
    clientsDeparted = Counter(EdgeMetricKeys.keys.departed)
    webSocketMessages = Counter(EdgeMetricKeys.keys.messages)
  }

  func countResponse(_ surface: HTTPSurface, status: Int) {
    guard (100...599).contains(status) else { return }
    responses[Int(surface.number)][status / 100 - 1].increment()
  }

  func countRefusedConnection() { connectionsRefused.increment() }
  /// A client that left while its poll was held.
  func countDepartedClient() { clientsDeparted.increment() }
  package func countWebSocketMessage() { webSocketMessages.increment() }
}
