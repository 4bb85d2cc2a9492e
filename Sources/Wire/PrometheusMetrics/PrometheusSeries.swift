internal import CoreMetrics
internal import Synchronization

enum PrometheusKind: String, Sendable {
  case counter, gauge, histogram
}

/// One line, or one group of lines, of the exposition.
protocol PrometheusSeries: AnyObject, Sendable {
  func render(_ name: String, _ labels: String, _ format: PrometheusFormat, into text: inout String)
}

final class PrometheusCounter: PrometheusSeries, CounterHandler {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  /// A counter never falls: a negative amount is ignored.
  func increment(by amount: Int64) {
    if amount > 0 { count.wrappingAdd(amount, ordering: .relaxed) }
  }

  func reset() { count.store(0, ordering: .relaxed) }

  func render(_ name: String, _ labels: String, _ format: PrometheusFormat, into text: inout String) {
    text += "\(name)\(labels) \(value)\n"
  }
}

final class PrometheusFloatingPointCounter: PrometheusSeries, FloatingPointCounterHandler {
  private let sum = Mutex(0.0)

  func increment(by amount: Double) {
    if amount > 0 { sum.withLock { $0 += amount } }
  }

  func reset() { sum.withLock { $0 = 0 } }

  func render(_ name: String, _ labels: String, _ format: PrometheusFormat, into text: inout String) {
    text += "\(name)\(labels) \(PrometheusText.number(sum.withLock { $0 }))\n"
  }
}

final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
  private let value = Mutex(0.0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }

  func render(_ name: String, _ labels: String, _ format: PrometheusFormat, into text: inout String) {
    text += "\(name)\(labels) \(PrometheusText.number(value.withLock { $0 }))\n"
  }
}

final class PrometheusHistogram: PrometheusSeries, RecorderHandler, TimerHandler {
  private struct State {
    /// Values in each bucket alone; the last one is above all bounds. Summed up when printed.
    var counts: [UInt64]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let state: Mutex<State>

  /// - Parameter buckets: upper bounds, ascending.
  init(buckets: [Double]) {
    bounds = buckets
    state = Mutex(State(counts: Array(repeating: 0, count: buckets.count + 1)))
  }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    // A NaN would spoil the sum for ever.
    guard !value.isNaN else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock {
      $0.counts[bucket] += 1
      $0.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

  func render(_ name: String, _ labels: String, _ format: PrometheusFormat, into text: inout String) {
    let state = self.state.withLock { $0 }
    var count: UInt64 = 0
    for (index, bound) in (bounds + [.infinity]).enumerated() {
      count += state.counts[index]
      text += "\(name)_bucket\(PrometheusText.labels(labels, adding: "le", format.bound(bound))) \(count)\n"
    }
    text += "\(name)_sum\(labels) \(PrometheusText.number(state.sum))\n\(name)_count\(labels) \(count)\n"
  }
}
