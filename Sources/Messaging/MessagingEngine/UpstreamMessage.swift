public import PushDomain

public struct UpstreamMessage: Sendable, Equatable {
  /// The device's own id; unique for the device as long as it may send it again.
  public let id: String
  public let category: String
  public let subtype: String?
  public let pairs: [MailPair]
  /// Seconds.
  public let timeToLive: Int
  public init(id: String, category: String, subtype: String? = nil, pairs: [MailPair], timeToLive: Int) {
    self.id = id
    self.category = category
    self.subtype = subtype
    self.pairs = pairs
    self.timeToLive = timeToLive
  }
}

public enum UpstreamOutcome: Sendable, Equatable {
  /// Stored, or handed to the app server.
  case accepted
  /// It never will be: told to the device as `send_error` with this reason, and acknowledged.
  case refused(reason: String)
  /// Not now: the device is not told anything and sends it again.
  case unavailable
}
