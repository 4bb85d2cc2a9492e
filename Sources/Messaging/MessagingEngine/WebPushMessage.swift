public import PushDomain

public struct WebPushMessage: Sendable, Equatable {
  public let body: [UInt8]
  /// `content-encoding`, `crypto-key`, `encryption`: in lower case, as they go into `app_data`.
  public let headers: [MailPair]
  public let timeToLive: Int
  public let topic: String?
  public let priority: PushPriority
  public init(body: [UInt8], headers: [MailPair], timeToLive: Int, topic: String?, priority: PushPriority) {
    self.body = body
    self.headers = headers
    self.timeToLive = timeToLive
    self.topic = topic
    self.priority = priority
  }
}
