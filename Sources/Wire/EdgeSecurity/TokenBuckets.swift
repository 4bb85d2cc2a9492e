/// How often something may be done: `burst` times at once, and once more after each `interval`.
public struct BudgetRule: Sendable, Equatable {
  public let burst: Int
  /// Nanoseconds.
  public let interval: Int64

  /// - Parameter perMinute: at once, and again in each minute. Nil for 0 and less: as often as anybody likes.
  public init?(perMinute: Int) {
    guard perMinute > 0 else { return nil }
    self.init(burst: perMinute, interval: max(1, 60_000_000_000 / Int64(perMinute)))
  }

  public init(burst: Int, interval: Int64) {
    precondition(burst > 0 && interval > 0, "a bucket holds something and fills")
    self.burst = burst
    self.interval = interval
  }

  /// Until an empty bucket is full. A bucket of any size that an option allows fills in minutes.
  var fullAfter: Int64 { interval * Int64(burst) }
}

/// A token bucket for each key: a value without a clock of its own.
///
/// ```
///   take ──enough there──> granted, so much the less for the next
///        └─too little────> refused, and nothing is taken: whoever hammers gets what the rule allows
/// ```
/// What is kept of a key is the one moment at which its bucket will be full again. From then on the key is as good as
/// one that was never seen, so that forgetting it gives nothing away; before, no key is ever forgotten. When there is
/// no room for another key, all those beyond share one bucket of their own: a flood from ever new keys neither makes
/// room by pushing others out, nor costs those who are known anything.
public struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
  public let rule: BudgetRule
  /// Keys that are told apart.
  public let keysMaximum: Int
  /// The rule of the bucket that all further keys share: so many times as much as one.
  public static var sharedFactor: Int { 16 }
  /// Nanoseconds between two searches for keys to forget: each looks at all of them.
  static var sweepInterval: Int64 { 1_000_000_000 }

  private var fullAt: [Key: Int64] = [:]
  private var sharedFullAt: Int64 = .min
  private var sweepAt: Int64 = .min

  public init(rule: BudgetRule, keysMaximum: Int) {
    precondition(keysMaximum > 0, "there is room for a key")
    self.rule = rule
    self.keysMaximum = keysMaximum
  }

  /// Keys whose buckets are not known to be full.
  public var count: Int { fullAt.count }

  /// Takes `count` of the key's bucket if they are there. More than a full bucket holds is granted if it is full.
  ///
  /// - Parameter now: nanoseconds of a clock that nobody sets back.
  /// - Returns: nil if they are taken; else the nanoseconds after which they would be there.
  public mutating func take(_ key: Key, _ count: Int = 1, now: Int64) -> Int64? {
    let full = fullAt[key]
    if full == nil, fullAt.count >= keysMaximum {
      sweep(now)
      guard fullAt.count < keysMaximum else { return takeShared(count, now) }
    }
    let (next, wait) = Self.take(count, full ?? .min, rule, now)
    if let wait { return wait }
    fullAt[key] = next
    return nil
  }

  /// Whether not even one is there. Takes nothing.
  public func isEmpty(_ key: Key, now: Int64) -> Bool {
    guard let full = fullAt[key] else { return false }
    return Self.take(1, full, rule, now).wait != nil
  }

  private mutating func takeShared(_ count: Int, _ now: Int64) -> Int64? {
    let rule = BudgetRule(
      burst: rule.burst * Self.sharedFactor, interval: max(1, rule.interval / Int64(Self.sharedFactor)))
    let (next, wait) = Self.take(count, sharedFullAt, rule, now)
    if wait == nil { sharedFullAt = next }
    return wait
  }

  private static func take(
    _ count: Int, _ fullAt: Int64, _ rule: BudgetRule, _ now: Int64
  ) -> (fullAt: Int64, wait: Int64?) {
    let next = max(fullAt, now) + rule.interval * Int64(min(max(count, 0), rule.burst))
    let wait = next - now - rule.fullAfter
    return wait > 0 ? (fullAt, wait) : (next, nil)
  }

  private mutating func sweep(_ now: Int64) {
    guard now >= sweepAt else { return }
    sweepAt = now + Self.sweepInterval
    fullAt = fullAt.filter { $0.value > now }
  }
}
