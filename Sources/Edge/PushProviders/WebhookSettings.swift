/// The bounds of everything that goes out as an HTTP POST. Spec: GMS 7.4.
public struct WebhookSettings: Sendable, Equatable {
  /// Until the connection stands, TLS included.
  public var connectTimeout: Duration = .seconds(10)
  /// Without a byte from the receiver; also the time that its answer's head may take in all, and then its body.
  public var readTimeout: Duration = .seconds(10)
  /// Posts in flight at the same time; the HTTP client itself would queue without bound.
  public var inFlightMaximum = 64
  /// The same for one scheme, host and port: a slow receiver leaves room for the others.
  public var inFlightPerHostMaximum = 8
  /// Posts that wait for one of these places; one more fails at once and may be tried again.
  public var waitingMaximum = 10_000
  /// Bytes of the answer's body that are read and thrown away, so that the connection can be used again.
  public var answerBytesMaximum = 65_536
  /// How long an unused connection is kept.
  public var idleTimeout: Duration = .seconds(60)

  public init() {}
}
