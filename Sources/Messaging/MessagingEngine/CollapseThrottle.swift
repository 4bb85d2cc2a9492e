import PushDomain
import Synchronization

/// Holds collapsible messages back from a device that has had many: a burst, then one now and then. What waits
/// meanwhile collapses. Spec: GCM B9.1, B9.2.
final class CollapseThrottle: Sendable {
  private struct Bucket {
    var tokens: Double
    var at: Int64
    /// A timer runs.
    var isAwaited = false
  }

  private let burst: Double
  private let refillMilliseconds: Double
  /// By flow: what one sender has for one registration. One that is full again is as good as none, and is forgotten.
  private let buckets = Mutex<[String: Bucket]>([:])
  private static let bucketsKeptMaximum = 100_000

  init(burst: Int, refillSeconds: Int) {
    self.burst = Double(max(1, burst))
    refillMilliseconds = Double(max(1, refillSeconds)) * 1_000
  }

  enum Verdict {
    case goes
    /// So many milliseconds, unless somebody waits for this flow already.
    case waits(Int64?)
  }

  func verdict(_ mail: Mail, now: Int64) -> Verdict {
    guard mail.collapseKey != nil, !mail.isNowOrNever else { return .goes }
    let flow = mail.flow
    return buckets.withLock { buckets -> Verdict in
      if buckets.count >= Self.bucketsKeptMaximum {
        buckets = buckets.filter { self.tokens(in: $0.value, now) < burst }
      }
      let tokens = buckets[flow].map { self.tokens(in: $0, now) } ?? burst
      let isAwaited = buckets[flow]?.isAwaited ?? false
      guard tokens >= 1 else {
        buckets[flow] = Bucket(tokens: tokens, at: now, isAwaited: true)
        return .waits(isAwaited ? nil : Int64(((1 - tokens) * refillMilliseconds).rounded(.up)))
      }
      buckets[flow] = Bucket(tokens: tokens - 1, at: now, isAwaited: isAwaited)
      return .goes
    }
  }

  func timerFired(_ flow: String) { buckets.withLock { $0[flow]?.isAwaited = false } }

  private func tokens(in bucket: Bucket, _ now: Int64) -> Double {
    min(burst, bucket.tokens + Double(max(0, now - bucket.at)) / refillMilliseconds)
  }
}
