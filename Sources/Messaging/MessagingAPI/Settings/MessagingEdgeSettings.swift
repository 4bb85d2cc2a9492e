/// What the routes of messaging tell devices and browsers about the server. Spec: GCM D2.5, D5.
public struct MessagingEdgeSettings: Sendable, Equatable {
  /// How this server is reached from outside: `https://push.example.com`. Nil: by the name that each request used.
  public var publicURL: String?
  /// Where devices keep their connection (MCS over TLS); nil if nobody serves them there.
  public var deviceHost: String?
  public var devicePort: Int
  /// How often devices check in.
  public var checkInInterval: Duration
  /// Origins beside `publicURL` that browsers know this server by; senders sign for them. Spec: RFC 8292, 2.
  public var webPushOrigins: Set<String>

  public init(
    publicURL: String? = nil, deviceHost: String? = nil, devicePort: Int = 5_228,
    checkInInterval: Duration = .seconds(172_800), webPushOrigins: Set<String> = []
  ) {
    self.publicURL = publicURL
    self.deviceHost = deviceHost
    self.devicePort = devicePort
    self.checkInInterval = checkInInterval
    self.webPushOrigins = webPushOrigins
  }
}
