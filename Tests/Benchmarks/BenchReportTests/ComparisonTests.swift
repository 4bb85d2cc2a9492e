import BenchReport
import Testing

@Suite("Two programs, figure by figure")
struct ComparisonTests {
  private func rate(_ value: Double) -> [Measurement] { [Measurement("chat.delivered", value, "messages/s")] }

  @Test("the median of the pairs' ratios counts, not the ratio of the medians")
  func median() throws {
    let comparison = Comparison([(rate(100), rate(99)), (rate(50), rate(49)), (rate(200), rate(100))])
    let row = try #require(comparison.rows.first)
    #expect(row.ratios == [0.99, 0.98, 0.5])
    #expect(row.ratio == 0.98)
    #expect((row.before, row.after) == (100, 99))
    #expect(!row.isBroken)
  }

  @Test("of an even number of pairs the two in the middle share it")
  func even() throws {
    let comparison = Comparison([(rate(100), rate(90)), (rate(100), rate(100))])
    #expect(try #require(comparison.rows.first).ratio == 0.95)
    #expect(comparison.broken.map(\.name) == ["chat.delivered"])
  }

  @Test(
    "each kind of figure has its bar",
    arguments: [
      ("chat.delivered", "messages/s", 0.97, false), ("chat.delivered", "messages/s", 0.969, true),
      ("restart.seconds", "s", 1.03, false), ("restart.seconds", "s", 1.032, true),
      ("chat.cpu.relative", "×generator", 1.03, false), ("chat.cpu.relative", "×generator", 1.032, true),
      ("idle.longpoll.bytes", "bytes", 1.02, false), ("idle.longpoll.bytes", "bytes", 1.021, true),
      ("journal.bytes.64", "bytes/event", 1.021, true),
      ("micro.timer.allocations", "allocations/operation", 1.021, true),
      // Only told.
      ("micro.timer", "ns/operation", 9, false), ("chat.generator.cores", "cores", 9, false),
      ("chat.p99", "ms", 9, false), ("chat.cpu", "µs/message", 9, false), ("push.drain.disorder", "places", 9, false),
      ("churn.growth", "MB/min", 9, false), ("journal.raw.synced.1", "events/s", 0.1, false),
      ("push.client.raw", "requests/s", 0.1, false), (Yardstick.processor, "steps/s", 0.1, false),
    ])
  func bars(name: String, unit: String, ratio: Double, isBroken: Bool) throws {
    let comparison = Comparison([
      ([Measurement(name, 1_000, unit)], [Measurement(name, 1_000 * ratio, unit)])
    ])
    #expect(try #require(comparison.rows.first).isBroken == isBroken)
    #expect(comparison.broken.isEmpty == !isBroken)
  }

  @Test("what only one of the two has, and what was nothing before, is not compared but named")
  func alone() {
    let comparison = Comparison([
      (
        rate(1) + [Measurement("old", 1, "s"), Measurement("nothing", 0, "s")],
        rate(1) + [Measurement("new", 1, "s"), Measurement("nothing", 1, "s")]
      )
    ])
    #expect(comparison.rows.map(\.name) == ["chat.delivered"])
    #expect(comparison.alone == ["old", "nothing", "new"])
  }

  @Test("the table has both medians, the ratio with its spread, and the bar")
  func table() {
    let comparison = Comparison([
      (
        [Measurement("chat.delivered", 15_200, "messages/s"), Measurement("chat.p99", 3.1, "ms")],
        [Measurement("chat.delivered", 14_000, "messages/s"), Measurement("chat.p99", 3.1, "ms")]
      ),
      (
        [Measurement("chat.delivered", 15_200, "messages/s"), Measurement("chat.p99", 3.1, "ms")],
        [Measurement("chat.delivered", 14_000, "messages/s"), Measurement("idle", 1, "bytes")]
      ),
    ])
    #expect(
      comparison.table == """
        chat.delivered  15,200  14,000  0.921  0.92-0.92  >= 0.97 BROKEN  messages/s
        chat.p99          3.10    3.10  1.000                             ms        
        not in both: idle
        """)
  }
}
