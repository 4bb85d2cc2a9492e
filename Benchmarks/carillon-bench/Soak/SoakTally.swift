import BenchReport
import Synchronization

/// What has happened so far, for the table and for the verdict.
final class SoakTally: Sendable {
  struct Counts: Sendable {
    /// Messages: posted and answered, posted without an answer, come for the first time, come once more.
    var acknowledged = 0
    var doubted = 0
    var delivered = 0
    var repeats = 0
    /// Chats: judged to the end, and given up at their beginning because the server went away.
    var chats = 0
    var abandoned = 0
    /// Customers who went to the background, whose radio was gone, and whose session was gone.
    var absences = 0
    var cuts = 0
    var newSessions = 0
    var snapshots = 0
    var erased = 0
    /// Who came and left besides, and of them who was not served: when the server went away.
    var visitors = 0
    var visitorsFailed = 0
  }

  private struct State {
    var counts = Counts()
    var latencies = LatencyHistogram()
    var rowLatencies = LatencyHistogram()
    var violations: [String] = []
    var violationCount = 0
  }

  private static let violationsMaximum = 40
  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }
  var violationCount: Int { state.withLock { $0.violationCount } }
  /// All latencies, milliseconds at these percentages.
  func latency(_ percent: Double) -> Double { state.withLock { $0.latencies[percent] } }

  func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

  /// - Parameter latencies: nanoseconds since each was due, of those whose customer was there all the time.
  func delivered(_ count: Int, repeats: Int, latencies: [Int64]) {
    state.withLock { state in
      state.counts.delivered += count
      state.counts.repeats += repeats
      for latency in latencies {
        state.latencies.record(latency)
        state.rowLatencies.record(latency)
      }
    }
  }

  /// The 99th percentile since the last call, milliseconds.
  func takeRow() -> Double {
    state.withLock { state in
      defer { state.rowLatencies.removeAll() }
      return state.rowLatencies[99]
    }
  }

  func violate(_ sentences: [String]) {
    guard !sentences.isEmpty else { return }
    state.withLock { state in
      state.violationCount += sentences.count
      state.violations += sentences.prefix(Self.violationsMaximum - state.violations.count)
    }
    for sentence in sentences.prefix(3) { Terminal.note("soak: WRONG: \(sentence)") }
  }

  func violate(_ sentence: String) { violate([sentence]) }

  /// - Throws: `BenchError` with what was wrong, if anything was.
  func judge(seed: UInt64) throws(BenchError) {
    let (violations, count) = state.withLock { ($0.violations, $0.violationCount) }
    guard count > 0 else { return }
    let more = count > violations.count ? "\n  and \(count - violations.count) more" : ""
    throw BenchError(
      "seed \(seed): \(count) wrong:\n" + violations.map { "  " + $0 }.joined(separator: "\n") + more)
  }
}
