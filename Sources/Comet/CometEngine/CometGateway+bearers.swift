import Bayeux
import EngineKit
import EntityRuntime

/// Sessions of users who came by an access token.
extension CometGateway {
  /// Hands an event to those of the user's sessions that follow the channel.
  /// - Parameter data: JSON text.
  package func publish(_ data: [UInt8], on channel: String, to userKey: String) async {
    let sessions = directory.sessions(userKey: userKey)
    guard !sessions.isEmpty else { return }
    let message = QueuedMessage(bytes: BayeuxEvent.message(channel: channel, data: data), mark: nil)
    for session in sessions where await session.follows(channel) {
      session.lane.enqueue { await session.deliver(message) }
    }
  }

  /// Whether any session of the user follows the channel.
  package func isFollowed(_ channel: String, by userKey: String) async -> Bool {
    for session in directory.sessions(userKey: userKey) where await session.follows(channel) { return true }
    return false
  }

  /// Ends the user's sessions: what they came by opens nothing any more. Returns once that is durable.
  package func dismiss(userKey: String) async {
    for session in directory.sessions(userKey: userKey) {
      // A journal that takes no more ends the process; nothing is left to be done here.
      try? await session.dismiss()
    }
  }

  // MARK: What its clients send

  /// Of the channels that a message names, those that its session may subscribe to beside the events'.
  func followable(_ message: BayeuxMessage, by session: CometSession) async -> Set<String> {
    let open = channels.open(message.subscription, to: session)
    guard let bearer = session.bearer, let wanted = message.subscription, let bearers else { return open }
    return open.union(await bearers.followable(wanted, by: bearer, beside: await session.channels))
  }

  /// The reply to a publish.
  func published(_ message: BayeuxMessage, by session: CometSession, on exchange: CometExchange) async -> [UInt8] {
    let result: Result<Void, BayeuxError>? =
      if let bearer = session.bearer { await bearers?.published(message, by: bearer) } else { nil }
    switch result {
    case nil:
      let reply = await channels.published(message, by: session, on: exchange)
      forgetIfOver(session)
      return reply
        ?? BayeuxReply.failure(to: message, error: policy.refusalOfPublish(to: message.channel ?? ""))
    case .failure(let error): return BayeuxReply.failure(to: message, error: error)
    case .success: return BayeuxReply.published(to: message)
    }
  }

  /// Whose session a handshake makes: an access token decides, else the user of the request, else the one whom the
  /// message names, unless users have to be proven.
  func userKey(of handshake: BayeuxMessage, on exchange: CometExchange) throws(BayeuxError) -> String? {
    let userKey = exchange.userKey ?? handshake.userKey
    if let userKey, ReservedUserKey.isReserved(userKey) { throw BayeuxError(400, ["gms_user"], "reserved") }
    guard userKey?.utf8.count ?? 0 <= limits.userKeyBytesMaximum else {
      throw BayeuxError(400, ["gms_user"], "too_long")
    }
    if requiresProof {
      if let claimed = handshake.userKey, claimed != exchange.userKey {
        security.note(.unprovenUserKey, from: exchange.address)
        throw BayeuxError(403, ["gms_user"], "not_proven")
      }
      // The edge has looked at it, and was not convinced.
      if handshake.userToken != nil, exchange.userKey == nil { throw BayeuxError(401, ["gms_token"], "refused") }
    }
    guard let token = exchange.accessToken else { return userKey }
    guard userKey == nil else { throw BayeuxError(400, ["gms_user"], "not_with_an_access_token") }
    guard let bearer = bearers?.userKey(bearing: token) else { throw BayeuxError(401, [], "unknown_token") }
    return bearer
  }
}
