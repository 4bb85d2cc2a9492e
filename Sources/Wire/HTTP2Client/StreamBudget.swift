/// How many streams a connection may open now. A value: the same numbers that the server counts.
///
/// ```
/// advertised: what SETTINGS_MAX_CONCURRENT_STREAMS said last      unproven: 1 until an answer was proof
/// allowance = min(advertised, our own maximum, unproven ? 1)      free = allowance - open, never negative
/// ```
struct StreamBudget {
  private(set) var open = 0
  private(set) var isProven: Bool
  private var advertised = Limits.streamsUntilTold

  init(startsWithOneStream: Bool) { isProven = !startsWithOneStream }

  var allowance: Int {
    isProven ? min(advertised, Limits.streamsPerConnectionMaximum) : min(advertised, 1)
  }
  /// Zero also while a lowered limit waits for streams to end. Spec: RFC 9113, 5.1.2.
  var free: Int { max(0, allowance - open) }

  mutating func opened() { open += 1 }
  mutating func closed() {
    precondition(open > 0, "a stream is closed only after it was opened")
    open -= 1
  }
  mutating func advertise(_ limit: Int) { advertised = max(0, limit) }
  mutating func prove() { isProven = true }
}
