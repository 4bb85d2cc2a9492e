import CoreMetrics
import PrometheusMetrics
import Synchronization

/// How many pushes have come to their end, by the server's own metric: it counts a push once its outcome is durable.
///
/// Everything else goes to the metrics that the server has, and costs what it costs there.
final class SettledPushes: MetricsFactory {
  /// Metrics are a process's: there is one of these.
  static let shared: SettledPushes = {
    let settled = SettledPushes()
    MetricsSystem.bootstrap(settled)
    return settled
  }()

  private final class Count: CounterHandler {
    let value = Atomic<Int>(0)
    func increment(by amount: Int64) { value.add(Int(amount), ordering: .relaxed) }
    func reset() {}
  }

  private let registry = PrometheusRegistry()
  private let deliveredCount = Count()
  private let otherCount = Count()

  /// Since the start of the process.
  var delivered: Int { deliveredCount.value.load(ordering: .relaxed) }
  /// Refused, failed, expired, …
  var others: Int { otherCount.value.load(ordering: .relaxed) }

  /// Waits until so many are delivered.
  /// - Throws: if any ends in another way, or `limit` passes.
  func waitForDelivered(_ count: Int, others known: Int, within limit: Duration) async throws {
    let deadline = ContinuousClock.now + limit
    while delivered < count {
      guard others == known else { throw BenchError("\(others - known) pushes ended undelivered") }
      guard ContinuousClock.now < deadline else {
        throw BenchError("\(count - delivered) pushes were not delivered in time")
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    guard label == "carillon.push.settled" else { return registry.makeCounter(label: label, dimensions: dimensions) }
    return dimensions.contains { $0 == ("outcome", "delivered") } ? deliveredCount : otherCount
  }

  func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { registry.makeFloatingPointCounter(label: label, dimensions: dimensions) }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    registry.makeMeter(label: label, dimensions: dimensions)
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    registry.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    registry.makeTimer(label: label, dimensions: dimensions)
  }

  // Counters go when their engine goes; the two above stay.
  func destroyCounter(_ handler: any CounterHandler) {
    if !(handler is Count) { registry.destroyCounter(handler) }
  }
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
    registry.destroyFloatingPointCounter(handler)
  }
  func destroyMeter(_ handler: any MeterHandler) { registry.destroyMeter(handler) }
  func destroyRecorder(_ handler: any RecorderHandler) { registry.destroyRecorder(handler) }
  func destroyTimer(_ handler: any TimerHandler) { registry.destroyTimer(handler) }
}
