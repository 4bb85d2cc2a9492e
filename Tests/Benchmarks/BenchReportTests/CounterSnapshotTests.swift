import BenchReport
import Testing

@Suite("Counters, a second later")
struct CounterSnapshotTests {
  private func snapshot(_ entries: [(String, Double, CounterSnapshot.Kind)]) -> CounterSnapshot {
    var snapshot = CounterSnapshot()
    for (name, value, kind) in entries { snapshot.add(name, value, kind) }
    return snapshot
  }

  @Test("counters are told by how far they moved, levels by where they stand, sums by their mean")
  func readings() {
    let before = snapshot([
      ("faults", 100, .count), ("polls", 3, .level), ("flushes", 10, .count), ("ms", 50, .sum(of: "flushes")),
    ])
    let after = snapshot([
      ("faults", 107, .count), ("polls", 4, .level), ("flushes", 14, .count), ("ms", 70, .sum(of: "flushes")),
    ])
    #expect(
      after.readings(since: before) == [
        Reading("faults", 7), Reading("polls", 4), Reading("flushes", 4), Reading("ms", 5),
      ])
  }

  @Test("what did not move, and what is at zero, is left out; what is new has begun at zero")
  func unmoved() {
    let before = snapshot([
      ("still", 5, .count), ("gone", 1, .count), ("flushes", 2, .count), ("ms", 9, .sum(of: "flushes")),
    ])
    let after = snapshot([
      ("still", 5, .count), ("empty", 0, .level), ("new", 6, .count), ("flushes", 2, .count),
      ("ms", 9, .sum(of: "flushes")),
    ])
    #expect(after.readings(since: before) == [Reading("new", 6)])
  }

  @Test("a server's metrics are read by their kinds")
  func metrics() {
    func text(_ answers: Int, _ attempts: Int, _ seconds: Double) -> String {
      """
      # HELP carillon_http_responses_total Answers over HTTP, by class of their status.
      # TYPE carillon_http_responses_total counter
      carillon_http_responses_total{status="2xx",surface="a b"} \(answers)
      # TYPE carillon_http_held_polls gauge
      carillon_http_held_polls 1000
      # TYPE push_attempt_seconds histogram
      push_attempt_seconds_bucket{type="ios",le="0.5"} \(attempts)
      push_attempt_seconds_bucket{type="ios",le="+Inf"} \(attempts)
      push_attempt_seconds_sum{type="ios"} \(seconds)
      push_attempt_seconds_count{type="ios"} \(attempts)
      not a sample
      """
    }
    let readings = MetricsText.snapshot(text(150, 14, 2.5)).readings(since: MetricsText.snapshot(text(100, 10, 0.5)))
    #expect(
      readings == [
        Reading(#"carillon_http_responses_total{status="2xx",surface="a b"}"#, 50),
        Reading("carillon_http_held_polls", 1_000), Reading(#"push_attempt_seconds{type="ios"} mean"#, 0.5),
        Reading(#"push_attempt_seconds{type="ios"} count"#, 4),
      ])
  }
}
