internal import EventSourcing
internal import HTTP2Client
internal import PushDomain

/// What the lanes of APNs and FCM need of an HTTP/2 client; tests put another in its place.
protocol HTTP2Sending: Sendable {
  func send(_ request: HTTP2Request) async -> HTTP2Outcome
  /// Nothing new goes over this connection; what is under way on it ends.
  func retire(_ connection: HTTP2ConnectionID)
  func close() async
  /// For metrics.
  var load: HTTP2Load { get }
  /// When the client certificate ends; nil if there is none.
  var certificateEnd: Timestamp? { get }
}

/// How busy the connections of a lane are.
struct HTTP2Load: Sendable, Equatable {
  var connections = 0
  var streams = 0
  var waiting = 0
}

/// Where a lane's server is, and how its connections are made. Spec: providers 1.7.
struct HTTP2Place: Sendable, Hashable {
  enum Certificate: Sendable, Hashable {
    case pem(chainPath: String, keyPath: String)
    case pkcs12(path: String, password: String)
  }

  var baseURL: String
  var serverName: String?
  var caFile: String?
  var connectionsMaximum: Int
  var certificate: Certificate?
  /// APNs with a provider token: one stream on a new connection until a good token was answered. Spec: providers 2.1.
  var startsWithOneStream = false
}

/// Why a lane cannot be made: a few words for the operator, with names of options and without values.
struct PushObstacle: Error, Equatable {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// What one request came to, once it has been sent again where the server certainly did nothing.
enum HTTP2Settled: Sendable {
  case answered(HTTP2Response)
  case ended(PushOutcome)
}

/// Requests that the server has certainly not processed go out again at once. Spec: providers 1.1.
struct HTTP2Courier: Sendable {
  /// How often in a row.
  static let unprocessedMaximum = 5
  /// No repetition begins later than this after the first request: a provider answers within its own time-outs.
  static let repetitionTime: Duration = .seconds(10)
  /// How long the lane waits after ENHANCE_YOUR_CALM. Spec: providers 2.1.
  static let calm: Duration = .seconds(30)

  let client: any HTTP2Sending
  /// Repetitions so far: one count for all requests of a delivery.
  private(set) var unprocessed = 0
  private let start = ContinuousClock.now

  init(_ client: any HTTP2Sending) { self.client = client }

  /// Counts one repetition; false if there have been too many.
  mutating func mayRepeat() -> Bool {
    guard unprocessed < Self.unprocessedMaximum, !Task.isCancelled, .now < start + Self.repetitionTime else {
      return false
    }
    unprocessed += 1
    return true
  }

  mutating func send(_ request: HTTP2Request) async -> HTTP2Settled {
    while true {
      switch await client.send(request) {
      case .answered(let response): return .answered(response)
      case .unprocessed(let reason, let isTransport):
        // Without any connection the next try would end in the same way: that is for the lane's breaker.
        if isTransport || !mayRepeat() { return .ended(.unprocessed(reason: reason, isTransport: isTransport)) }
      case .unknown(let reason):
        return .ended(.retryable(reason: reason, mayBeDelivered: true, isTransport: true))
      case .unusable(let reason): return .ended(.laneBroken(reason: reason))
      case .calm(let reason): return .ended(.lanePaused(reason: reason, for: Self.calm))
      }
    }
  }
}
