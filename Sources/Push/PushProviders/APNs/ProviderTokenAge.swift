internal import EventSourcing

/// When a provider token is made, kept and renewed: a machine without I/O. Spec: providers 2.2.
///
/// ```
///            issued                       50 min ± 2 min old
///   (none) ─────────> current ──────────────────────────────────> due ── issued ──> current
///                        │ ExpiredProviderToken, 20 min old or the clock was wrong ──> due
///                        └ TooManyProviderTokenUpdates ──> held for 60 s: nothing is due
/// ```
struct ProviderTokenAge: Sendable {
  static let renewalAge: Duration = .seconds(50 * 60)
  static let renewalJitter: Duration = .seconds(2 * 60)
  /// Apple counts tokens that replace a younger one.
  static let ageMinimum: Duration = .seconds(20 * 60)
  /// Apple takes no older one.
  static let ageMaximum: Duration = .seconds(60 * 60)
  static let hold: Duration = .seconds(60)
  /// A second `ExpiredProviderToken` so soon after a renewal is no accident.
  static let expiryRepeat: Duration = .seconds(60)
  /// Our clock is wrong if it is this far from Apple's, or behind the token's own time.
  static let clockTolerance: Duration = .seconds(5 * 60)

  enum Rejection: Sendable, Equatable {
    /// Another token is there, or may be made: send again at once.
    case renewed
    /// Renewing is not allowed or has not helped.
    case clock
  }

  private(set) var current: StoredProviderToken?
  private var renewAt: Timestamp = .epoch
  private var mustRenew = false
  private var heldUntil: Timestamp = .epoch
  private var lastExpiry: Timestamp?
  /// Apple's clock minus ours, as far as an answer has shown that they differ much.
  private(set) var clockOffset: Duration = .zero

  /// Whether a token has to be made now, the one in use being too old or none.
  func isDue(at now: Timestamp) -> Bool {
    guard let current else { return true }
    if now < heldUntil { return false }
    if mustRenew || now >= renewAt { return true }
    // Made by a clock that has been set back since: its age cannot be told any more.
    return current.issuedAt > appleTime(now).advanced(by: Self.clockTolerance)
  }

  /// What to write as `iat`.
  func appleTime(_ now: Timestamp) -> Timestamp { now.advanced(by: clockOffset) }

  /// - Parameter jitter: -1…1.
  mutating func issued(_ token: StoredProviderToken, jitter: Double) {
    current = token
    mustRenew = false
    let ours = token.issuedAt.advanced(by: .zero - clockOffset)
    renewAt = ours.advanced(by: Self.renewalAge + Self.renewalJitter * min(max(jitter, -1), 1))
  }

  /// A token from before a restart; not taken if it is about to be renewed anyway.
  mutating func restored(_ token: StoredProviderToken, jitter: Double, now: Timestamp) {
    var next = self
    next.issued(token, jitter: jitter)
    if !next.isDue(at: now) { self = next }
  }

  /// Apple said `ExpiredProviderToken` to a request that carried `token`.
  /// - Parameter date: the time of Apple's clock, if the answer tells it.
  mutating func expired(_ token: String, date: Timestamp?, now: Timestamp) -> Rejection {
    guard let current, current.token == token else { return .renewed }
    if let lastExpiry, now < lastExpiry.advanced(by: Self.expiryRepeat) { return .clock }
    var isClockWrong = current.issuedAt > now.advanced(by: Self.clockTolerance)
    if let date {
      let offset = Duration.milliseconds(date.milliseconds - now.milliseconds)
      let change = offset - clockOffset
      if max(change, .zero - change) >= Self.clockTolerance {
        clockOffset = offset
        isClockWrong = true
      }
    }
    let isOldEnough = now >= current.issuedAt.advanced(by: Self.ageMinimum - clockOffset)
    guard isOldEnough || isClockWrong, now >= heldUntil else { return .clock }
    lastExpiry = now
    mustRenew = true
    return .renewed
  }

  /// Apple said `TooManyProviderTokenUpdates`: the present token stays.
  mutating func tooManyUpdates(now: Timestamp) {
    heldUntil = now.advanced(by: Self.hold)
    mustRenew = false
  }
}
