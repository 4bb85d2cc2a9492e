/// Every bound of the XMPP server that is not the engine's; what XML may be is bounded by `XMLLimits`.
///
/// How many connections a sender may have is the engine's to say (`AppServerGateway.attach`), because other servers
/// count too. Spec: GCM C14.
public struct CCSLimits: Sendable, Equatable {
  // Counts.
  /// Open connections; one more is closed at once.
  public var connectionsMaximum = 4_000
  /// Downstream messages of one connection that are not answered yet; at the limit no more is read. Spec: GCM C10.
  public var pendingMaximum = 100
  /// Beyond it the stream ends with `policy-violation`.
  public var loginAttemptsMaximum = 3

  // Bytes.
  /// A stanza of a client that has logged in; beyond it `policy-violation`. Room for 4 KB of data in which each byte is
  /// escaped, in JSON and in XML.
  public var stanzaBytesMaximum = 65_536
  /// A stanza of a client that has not.
  public var loginStanzaBytesMaximum = 8_192
  /// Bytes that may wait to be written before the client is not read any more: it shall take its answers first.
  public var backlogBytesBeforePause = 262_144
  /// Bytes that may wait to be written on one connection; a client that reads slower is dropped. Room for a hundred
  /// messages of devices, which may come all at once, in which each byte is escaped.
  public var backlogBytesMaximum = 4_194_304
  /// Bytes of a client that are thrown away after the stream's end, before the connection is cut.
  public var discardedBytesMaximum = 262_144

  // Times.
  /// From the accepted connection to the bound resource, TLS included; beyond it `connection-timeout`.
  public var loginTimeout: Duration = .seconds(10)
  /// How long a client may take none of what waits for it.
  public var writeTimeout: Duration = .seconds(30)
  /// Silence of ours after which a blank is sent. Spec: GCM C16.
  public var keepAliveInterval: Duration = .seconds(600)
  /// How long a connection lives on at most when its key has been revoked.
  public var keyCheckInterval: Duration = .seconds(5)
  /// From the message that says that the connection drains to its end, or longer if answers are due. Spec: GCM C13.
  public var drainNotice: Duration = .seconds(2)
  /// From the end of our stream to the end of the client's.
  public var closeTimeout: Duration = .seconds(2)
  /// What a stopping server grants the connections that drain.
  public var shutdownGrace: Duration = .seconds(10)

  public init() {}
}

extension CCSLimits {
  static let readBufferBytes = (initial: 2_048, maximum: 16_384)

  var streamSettings: CCSStreamSettings {
    var settings = CCSStreamSettings()
    settings.pendingMaximum = pendingMaximum
    settings.loginAttemptsMaximum = loginAttemptsMaximum
    return settings
  }
}
