/// When the server pings its client, and when it gives up on it. Spec: GCM D8.8.
///
/// The client's answer is anything that it sends. A client that has neither asked for pings nor ever sent a heartbeat is
/// not expected to answer: some do not (push-receiver), and TCP notices by itself when one of those is gone.
struct MCSHeartbeat: Sendable {
  enum Step: Equatable {
    /// Nothing to do for so long.
    case wait(Duration)
    /// Ping now, and look again so much later.
    case ping(Duration)
    case giveUp
  }

  private let shared: SharedMCSLimits
  private var limits: MCSLimits { shared.limits }
  private var interval: Duration
  private var expectsAnswers = false
  private var hasHeard = true
  /// From the last ping to the deadline that is set; nil if it is the next ping's.
  private var patience: Duration?
  /// How long pings have gone unanswered.
  private var silence = Duration.zero

  init(sharing shared: SharedMCSLimits) {
    self.shared = shared
    interval = shared.limits.heartbeatInterval
  }

  /// - Parameter asked: the interval that the client would like, in milliseconds.
  /// - Returns: the time until the first ping.
  mutating func begin(asked: Int32?) -> Duration {
    if let asked {
      interval = min(limits.heartbeatInterval, max(limits.heartbeatMinimum, .milliseconds(asked)))
      expectsAnswers = true
    }
    return interval
  }

  mutating func heard(_ stanza: MCSStanza) {
    hasHeard = true
    switch stanza {
    case .heartbeatPing, .heartbeatAck: expectsAnswers = true
    default: break
    }
  }

  mutating func deadlinePassed() -> Step {
    if let patience {
      if hasHeard || !expectsAnswers {
        silence = .zero
        self.patience = nil
        if patience < interval { return .wait(interval - patience) }
      } else {
        silence += patience
        if silence >= limits.heartbeatAnswerTimeout { return .giveUp }
      }
    }
    hasHeard = false
    let patience = min(interval, limits.heartbeatAnswerTimeout - silence)
    self.patience = patience
    return .ping(patience)
  }
}
