internal import EventSourcing
internal import PushDomain

/// When an access token is used and when it is renewed: a machine without I/O. Spec: providers 3.1.
///
/// ```
///            obtained              5 min before its end
///   (none) ───────────> current ────────────────────────> current, being renewed ── obtained ──> current
///     │ ▲                  │                                   │ failed: again after a pause
///     │ └── ended, dropped ┘ <──────────── its end ────────────┘
///     └ failed: nothing can be sent until the pause is over
/// ```
struct AccessTokenAge: Sendable {
  static let renewalMargin: Duration = .seconds(300)
  static let firstPause: Duration = .seconds(1)
  static let pauseMaximum: Duration = .seconds(60)
  static let lifeMaximum: Duration = .seconds(86_400)

  struct Token: Sendable, Equatable {
    let text: String
    let issuedAt: Timestamp
    let end: Timestamp
    let renewAt: Timestamp
  }

  enum Failure: Error, Sendable, Equatable {
    /// The endpoint does not want us: 400, 401, an untrusted certificate.
    case denied(String)
    case passing(String)
  }

  enum Step: Sendable, Equatable {
    case use(String)
    case useAndRenew(String)
    case renewFirst
    /// The last renewal failed, and it is too early for the next one.
    case fail(PushOutcome)
  }

  private(set) var current: Token?
  private var failures = 0
  private var lastFailure: Failure?
  private var nextTry: Timestamp = .epoch

  func step(now: Timestamp) -> Step {
    let mayTry = now >= nextTry
    if let current, now < current.end {
      return mayTry && now >= current.renewAt ? .useAndRenew(current.text) : .use(current.text)
    }
    if !mayTry, let outcome = failure(now: now) { return .fail(outcome) }
    return .renewFirst
  }

  /// - Parameter now: when it was asked for.
  mutating func obtained(_ text: String, lifeSeconds: Int, now: Timestamp) {
    let life = min(.seconds(max(lifeSeconds, 1)), Self.lifeMaximum)
    let margin = min(Self.renewalMargin, life / 2)
    current = Token(text: text, issuedAt: now, end: now.advanced(by: life), renewAt: now.advanced(by: life - margin))
    failures = 0
    lastFailure = nil
    nextTry = .epoch
  }

  /// - Parameter random: 0..<1.
  mutating func failed(_ failure: Failure, now: Timestamp, random: Double) {
    var pause = Self.firstPause
    for _ in 0..<failures where pause < Self.pauseMaximum { pause *= 2 }
    failures = min(failures + 1, 32)
    lastFailure = failure
    nextTry = now.advanced(by: min(pause, Self.pauseMaximum) * (0.5 + min(max(random, 0), 1) / 2))
  }

  /// The server does not take this token any more.
  mutating func drop(_ text: String) { if current?.text == text { current = nil } }

  /// What becomes of a push that has no token; nil if nothing has failed.
  func failure(now: Timestamp) -> PushOutcome? {
    switch lastFailure {
    case nil: return nil
    case .denied(let reason): return .laneBroken(reason: reason)
    case .passing(let reason):
      // Nothing was sent: the message loses no attempt.
      let rest = Duration.milliseconds(max(nextTry.milliseconds - now.milliseconds, 1))
      return .lanePaused(reason: reason, for: rest)
    }
  }
}
