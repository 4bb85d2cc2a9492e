import Testing

@testable import EdgeSecurity

@Suite("Token buckets")
struct TokenBucketsTests {
  private static let second: Int64 = 1_000_000_000

  /// One each second, three at once.
  private static let rule = BudgetRule(burst: 3, interval: second)

  /// At so many tenths of a second, so many are taken: granted (0), or refused for so many tenths.
  private typealias Step = (at: Int64, count: Int, wait: Int64)

  @Test(
    "so many at once, and one more after each interval",
    arguments: [
      [(0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 10), (9, 1, 1), (10, 1, 0), (10, 1, 10)],
      // A refusal takes nothing, however often it comes.
      [(0, 3, 0), (1, 1, 9), (2, 1, 8), (3, 1, 7), (10, 1, 0)],
      // A bucket never holds more than its burst.
      [(0, 1, 0), (1_000, 3, 0), (1_000, 1, 10)],
      // Several at once are there or are not; one of them may be.
      [(0, 2, 0), (0, 2, 10), (0, 1, 0), (0, 3, 30)],
      // More than it holds takes what it holds.
      [(0, 100, 0), (0, 1, 10), (29, 100, 1), (30, 100, 0)],
      // Nothing costs nothing.
      [(0, 3, 0), (0, 0, 0), (0, -1, 0), (0, 1, 10)],
    ] as [[(Int64, Int, Int64)]])
  func table(steps: [(Int64, Int, Int64)]) {
    var buckets = TokenBuckets<String>(rule: Self.rule, keysMaximum: 10)
    for (place, (at, count, wait)) in steps.enumerated() {
      let answer = buckets.take("a", count, now: at * Self.second / 10)
      #expect(answer == (wait == 0 ? nil : wait * Self.second / 10), "step \(place)")
    }
  }

  @Test("each key has its own")
  func keys() {
    var buckets = TokenBuckets<String>(rule: Self.rule, keysMaximum: 10)
    #expect(buckets.take("a", 3, now: 0) == nil)
    #expect(buckets.isEmpty("a", now: 0))
    #expect(!buckets.isEmpty("b", now: 0))
    #expect(buckets.take("b", 3, now: 0) == nil)
    #expect(buckets.take("a", now: 0) != nil)
    #expect(!buckets.isEmpty("a", now: Self.second))
  }

  @Test("full buckets make room, others never do")
  func eviction() {
    var buckets = TokenBuckets<Int>(rule: Self.rule, keysMaximum: 4)
    for key in 0..<4 { #expect(buckets.take(key, key == 0 ? 1 : 3, now: 0) == nil) }
    // A flood of ever new keys shares one bucket of sixteen times as many, and pushes nobody out.
    let granted = (100..<1_000).filter { buckets.take($0, now: 0) == nil }
    #expect(granted.count == 3 * TokenBuckets<Int>.sharedFactor)
    #expect(buckets.count == 4)
    for key in 1..<4 { #expect(buckets.take(key, now: 0) == Self.second) }
    // The first one is full after a second: its place is given away, and it has lost nothing by it.
    #expect(buckets.take(5_000, 3, now: Self.second) == nil)
    #expect(buckets.count == 4)
    #expect(buckets.take(5_000, now: Self.second) == Self.second)
    for key in 1..<4 { #expect(buckets.take(key, 2, now: Self.second) == Self.second) }
  }

  @Test("memory does not grow beyond its bound, whoever comes")
  func bound() {
    var buckets = TokenBuckets<Int>(rule: Self.rule, keysMaximum: 64)
    for moment in 0..<10_000 { _ = buckets.take(moment, now: Int64(moment) * 1_000_000) }
    #expect(buckets.count <= 64)
  }

  @Test("a rule for a minute", arguments: [(0, 0, 0), (-1, 0, 0), (1, 1, 60_000_000_000), (60, 60, 1_000_000_000)])
  func perMinute(count: Int, burst: Int, interval: Int64) {
    #expect(BudgetRule(perMinute: count) == (burst == 0 ? nil : BudgetRule(burst: burst, interval: interval)))
  }
}
