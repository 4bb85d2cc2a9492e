/// What a chat knows of one Comet session of its customer.
struct CometLink: Sendable, Equatable, Codable {
  /// The clientId.
  let session: String
  var isSubscribed = false
  /// It has made its first `/meta/connect`.
  var isConnected = false
  /// The session gets every event after this position; nil as long as it gets none.
  ///
  /// A session that subscribed while the customer was flagged disconnected gets none before it connects: a handshake
  /// alone proves nothing. Spec: GMS 6.2, B15.
  var activeAfter: Int?
  /// What the session was sent before it unsubscribed: nothing is sent twice within one session. Spec: GMS 6.5, item 8.
  var sentThrough = 0
  /// What it missed when it began to get events reached up to here, and was one notification.
  var caughtUpThrough = 0

  var isActive: Bool { activeAfter != nil }

  init(session: String) { self.session = session }
}
