import PushDomain
import Synchronization

/// Holds collapsible messages back from a device that has had many: a burst, then one now and then. What waits
/// meanwhile collapses. Spec: GCM B9.1, B9.2.
final class CollapseThrottle: Sendable {
  private struct Bucket {
    var tokens: Double
    var at: Int64
  }

  private let burst: Double
  private let refillMilliseconds: Double
  /// By registration. One that is full again is as good as none, and is forgotten.
  private let buckets = Mutex<[String: Bucket]>([:])
  private static let bucketsKeptMaximum = 100_000

  init(burst: Int, refillSeconds: Int) {
    self.burst = Double(max(1, burst))
    refillMilliseconds = Double(max(1, refillSeconds)) * 1_000
  }

  /// - Returns: how many milliseconds to wait before the device may have another one; nil if it may have this one now.
  func pause(_ mail: Mail, now: Int64) -> Int64? {
    guard mail.collapseKey != nil, !mail.isNowOrNever else { return nil }
    return buckets.withLock { buckets -> Int64? in
      if buckets.count >= Self.bucketsKeptMaximum {
        buckets = buckets.filter { self.tokens(in: $0.value, now) < burst }
      }
      let tokens = buckets[mail.scope].map { self.tokens(in: $0, now) } ?? burst
      guard tokens >= 1 else {
        buckets[mail.scope] = Bucket(tokens: tokens, at: now)
        return Int64(((1 - tokens) * refillMilliseconds).rounded(.up))
      }
      buckets[mail.scope] = Bucket(tokens: tokens - 1, at: now)
      return nil
    }
  }

  private func tokens(in bucket: Bucket, _ now: Int64) -> Double {
    min(burst, bucket.tokens + Double(max(0, now - bucket.at)) / refillMilliseconds)
  }
}
