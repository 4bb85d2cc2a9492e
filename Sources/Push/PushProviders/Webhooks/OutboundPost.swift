internal import EventSourcing
internal import NIOHTTP1
internal import PushDomain

/// One POST that is to go out.
struct OutboundPost: Sendable {
  enum Route: Sendable {
    /// The operator's own URL.
    case operators
    /// Somebody else's, subject to the policy.
    case guarded(EndpointPolicy)
  }

  let url: WebhookURL
  let body: [UInt8]
  var headers: [(name: String, value: String)] = []
  var route: Route
  var trust: TrustRoots?
  /// False: the answer's body is read and thrown away.
  var keepsAnswer = false
  /// How long the answer may take to begin, the way to the receiver included; nil leaves it to the settings, which give
  /// that way a time of its own.
  var answerTimeout: Duration?
}

/// What came back.
struct OutboundAnswer: Sendable {
  let status: Int
  let retryAfter: String?
  let date: String?
  /// At most `WebhookSettings.answerBytesMaximum`; what is longer is cut.
  let body: [UInt8]

  /// The pause that the receiver asks for.
  func pause(now: Timestamp) -> Duration? { retryAfter.flatMap { RetryAfter.pause($0, date: date, now: now) } }

  /// The status with its usual phrase, not the receiver's: `503 Service Unavailable`.
  var reason: String {
    let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
    return phrase.isEmpty ? "\(status)" : "\(status) \(phrase)"
  }
}

/// Why there is no answer.
enum OutboundFailure: Error, Equatable {
  /// The policy forbids it, or it is no request.
  case refused(String)
  /// Nothing was written: no address, no connection.
  case notConnected(String)
  /// The receiver's certificate is not one that we trust for its name.
  case untrusted
  /// It may have been written, and no answer came.
  case unanswered(String)
  case cancelled(wasWritten: Bool)
  case shutDown

  /// What it is for the queue, unless the provider knows better. Spec: providers 4.2.
  var outcome: PushOutcome {
    switch self {
    case .refused: .refused(reason: reason)
    case .notConnected, .untrusted: .retryable(reason: reason, isTransport: true)
    case .unanswered: .retryable(reason: reason, mayBeDelivered: true, isTransport: true)
    case .cancelled(let wasWritten): .retryable(reason: reason, mayBeDelivered: wasWritten)
    case .shutDown: .unprocessed(reason: reason)
    }
  }

  /// In a few words, without URL and host.
  var reason: String {
    switch self {
    case .refused(let reason), .notConnected(let reason), .unanswered(let reason): reason
    case .untrusted: Self.untrustedReason
    case .cancelled: "cancelled"
    case .shutDown: "shut down"
    }
  }

  static let untrustedReason = "certificate not trusted"
}
