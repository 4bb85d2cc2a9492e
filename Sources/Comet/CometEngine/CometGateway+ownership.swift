import Bayeux
import EngineKit

/// A session answers to the one who shook hands for it, and to nobody else: a clientId that has been seen somewhere is
/// not enough. Whoever may not speak for it gets 402, as if it did not exist, and the log has a line.
/// Spec: Bayeux reference, 15 and 19.
extension CometGateway {
  /// The session of this id, if the messages of this exchange may speak for it.
  func session(_ clientID: String, for messages: [BayeuxMessage], on exchange: CometExchange) -> CometSession? {
    guard let session = directory[clientID] else { return nil }
    guard let breach = breach(of: session, by: messages, on: exchange) else { return session }
    security.note(breach, from: exchange.address)
    return nil
  }

  /// What keeps the exchange from speaking for the session; nil if it may.
  func breach(
    of session: CometSession, by messages: [BayeuxMessage], on exchange: CometExchange
  ) -> SecurityLog.Kind? {
    breachOfUser(session, messages, exchange) ?? breachOfBrowser(session, exchange)
  }

  private func breachOfUser(
    _ session: CometSession, _ messages: [BayeuxMessage], _ exchange: CometExchange
  ) -> SecurityLog.Kind? {
    let bearer = exchange.accessToken.flatMap { bearers?.userKey(bearing: $0) }
    guard session.bearer == bearer else { return .otherAccessToken }
    if bearer != nil { return nil }
    // A session without a user is its clientId's: whoever has the id could leave the key out as well.
    guard let owner = session.userKey else { return nil }
    if let shown = exchange.userKey {
      if shown != owner { return .otherUserKey }
    } else if requiresProof {
      return .otherUserKey
    }
    return messages.contains { $0.userKey ?? owner != owner } ? .otherUserKey : nil
  }

  private func breachOfBrowser(_ session: CometSession, _ exchange: CometExchange) -> SecurityLog.Kind? {
    if let owner = session.browserID {
      guard let shown = exchange.browserID else { return requiresCookie ? .otherBrowser : nil }
      return shown == owner ? nil : .otherBrowser
    }
    // Shaken over a socket that had no cookie: it is no browser's.
    return requiresCookie && exchange.transport.isPolling && exchange.browserID != nil ? .otherBrowser : nil
  }
}

extension SecurityLog.Kind {
  static let otherUserKey = Self("comet_other_user", "a Comet session was asked for by somebody who is not its user")
  static let otherAccessToken = Self(
    "comet_other_token", "a Comet session was asked for with another access token than its user's, or with none")
  static let otherBrowser = Self("comet_other_browser", "a Comet session was asked for by another browser than its own")
  static let unprovenUserKey = Self("comet_unproven_user", "a handshake named a gms_user that it did not prove")
}
