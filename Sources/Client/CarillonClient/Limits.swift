/// The bounds of the client. Nothing that a server sends makes it hold more than this.
enum Limits {
  /// Status line and header fields of one response, bytes.
  static let responseHeadBytesMaximum = 65_536
  /// One response body, bytes.
  static let responseBodyBytesMaximum = 16_777_216
  /// One WebSocket message, bytes, and the frames that it may come in.
  static let webSocketMessageBytesMaximum = 4_194_304
  static let webSocketFragmentsMaximum = 1_024
  /// One line of a server-sent event stream, bytes.
  static let eventStreamLineBytesMaximum = 4_194_304
  /// Messages that wait to be read from `CarillonChat.events` or `AgentClient.events`.
  static let waitingEventsMaximum = 10_000
  /// Kept-alive connections that one pool holds while idle.
  static let idleConnectionsMaximum = 8
  /// How often a chat asks for what it missed before it waits for the next message to find the gap again.
  static let recoveryAttemptsMaximum = 8
  static let connectTimeout = Duration.seconds(10)
}
