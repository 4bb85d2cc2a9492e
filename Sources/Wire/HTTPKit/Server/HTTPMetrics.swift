import EngineKit
import Metrics
package import ServerKit
import Synchronization

/// An HTTP server's metrics; the handles are made once, because looking them up costs more than counting.
package struct HTTPMetrics: Sendable {
  /// For each surface, one counter for each of the status classes 1xx to 5xx.
  private let responses: [[Counter]]
  private let connectionsRefused: Counter
  private let clientsDeparted: Counter
  private let webSocketMessages: Counter
  private let http2Requests: Counter
  private let http2GivenUp: Counter
  /// What the server has answered with a status from 500 on, for people: by surface.
  private let failures: FailureCounts
  private let surfaces: [String]
  package let connections = OpenCount(EdgeMetricKeys.keys.connections)
  /// Requests that are polls and wait for their answer.
  package let heldPolls = OpenCount(EdgeMetricKeys.keys.heldPolls)
  let http2Connections = OpenCount(EdgeMetricKeys.keys.http2Connections)
  let http2Streams = OpenCount(EdgeMetricKeys.keys.http2Streams)
  package let routes: RouteFigures

  /// - Parameters:
  ///   - surfaces: their names, by `HTTPSurface.number`.
  ///   - routes: all that can be asked; by default nothing is told apart.
  package init(surfaces: [String], routes: RouteTable = RouteTable([])) {
    self.routes = RouteFigures(routes)
    responses = surfaces.map { surface in
      (1...5).map { statusClass in
        Counter(
          EdgeMetricKeys.keys.responses, dimensions: [("surface", surface), ("status", "\(statusClass)xx")])
      }
    }
    self.surfaces = surfaces
    failures = FailureCounts(surfaces.count)
    connectionsRefused = Counter(EdgeMetricKeys.keys.connectionsRefused)
    clientsDeparted = Counter(EdgeMetricKeys.keys.departed)
    webSocketMessages = Counter(EdgeMetricKeys.keys.messages)
    http2Requests = Counter(EdgeMetricKeys.keys.http2Requests)
    http2GivenUp = Counter(EdgeMetricKeys.keys.http2GivenUp)
  }

  func countResponse(_ surface: HTTPSurface, status: Int) {
    guard (100...599).contains(status) else { return }
    responses[Int(surface.number)][status / 100 - 1].increment()
    if status >= 500 { failures.note(Int(surface.number)) }
  }

  /// Answers with a status from 500 on since the start, by the name of the surface; those without are left out.
  package var failureCounts: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(surfaces, failures.counts).filter { $0.1 > 0 })
  }

  func countRefusedConnection() { connectionsRefused.increment() }
  /// A client that left while its poll was held.
  func countDepartedClient() { clientsDeparted.increment() }
  package func countWebSocketMessage() { webSocketMessages.increment() }
  func countHTTP2Request() { http2Requests.increment() }
  /// A connection of a client that broke the protocol, or went beyond a limit of it.
  func countHTTP2GivenUp() { http2GivenUp.increment() }
}

/// Counts what goes wrong, which is seldom.
private final class FailureCounts: Sendable {
  private let state: Mutex<[Int]>

  init(_ count: Int) { state = Mutex([Int](repeating: 0, count: count)) }

  func note(_ number: Int) { state.withLock { $0[number] += 1 } }

  var counts: [Int] { state.withLock { $0 } }
}
