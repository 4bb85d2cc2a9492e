import Bayeux
import EntityRuntime

/// Live events of support requests: whoever shook hands with an access token may follow requests of its own, and says
/// which comments it has shown. Spec: support requests 6.2.
extension CometGateway {
  /// Hands an event to those of the user's sessions that follow the request.
  /// - Parameter data: JSON text.
  func publishSupport(user: Int64, request: Int64, data: [UInt8]) async {
    let channel = SupportStreamChannel.of(request)
    let sessions = directory.sessions(userKey: SupportUserKey.of(user))
    guard !sessions.isEmpty else { return }
    let message = QueuedMessage(bytes: BayeuxEvent.message(channel: channel, data: data), mark: nil)
    for session in sessions where await session.follows(channel) {
      session.lane.enqueue { await session.deliver(message) }
    }
  }

  /// Whether any session of the user follows the request: a comment may be on a screen in a moment.
  func hasSupportStream(user: Int64, request: Int64) async -> Bool {
    let channel = SupportStreamChannel.of(request)
    for session in directory.sessions(userKey: SupportUserKey.of(user)) where await session.follows(channel) {
      return true
    }
    return false
  }

  /// Ends the user's sessions: their tokens open nothing any more. Returns once that is durable.
  func endSupportStreams(of user: Int64) async {
    for session in directory.sessions(userKey: SupportUserKey.of(user)) {
      // A journal that takes no more ends the process; nothing is left to be done here.
      try? await session.dismiss()
    }
  }

  // MARK: What its clients send

  /// Of the channels that a message names, those that its session may subscribe to beside the events'.
  func followable(_ message: BayeuxMessage, by session: CometSession) async -> Set<String> {
    guard let user = session.supportUser, let wanted = message.subscription else { return [] }
    let followed = await session.channels
    var followable: Set<String> = []
    for channel in wanted.prefix(limits.supportChannelsBySessionMaximum) where !followable.contains(channel) {
      if followed.contains(channel) || channel == SupportStreamChannel.all {
        followable.insert(channel)
      } else if followed.count + followable.count < limits.supportChannelsBySessionMaximum,
        let request = SupportStreamChannel.request(in: channel), await streams.value.mayFollow(user, request)
      {
        followable.insert(channel)
      }
    }
    return followable
  }

  /// The reply to a publish: an acknowledgement, or something that nobody may publish.
  func published(_ message: BayeuxMessage, by session: CometSession) async -> [UInt8] {
    let channel = message.channel ?? ""
    guard let user = session.supportUser, let request = SupportStreamChannel.request(in: channel) else {
      return BayeuxReply.failure(to: message, error: policy.refusalOfPublish(to: channel))
    }
    if let refusal = await acknowledge(message, by: user, of: request) {
      return BayeuxReply.failure(to: message, error: refusal.error)
    }
    return BayeuxReply.published(to: message)
  }

  private func acknowledge(
    _ message: BayeuxMessage, by user: Int64, of request: Int64
  ) async -> SupportStreamRefusal? {
    guard let acknowledgement = SupportAcknowledgement(message.data) else { return .malformed }
    let comment = SupportIDs.parts(ofComment: acknowledgement.comment)
    guard await streams.value.mayFollow(user, request) else { return .unknownRequest }
    guard comment.request == request else { return .unknownComment }
    return await streams.value.acknowledged(user, request, comment.number, acknowledgement.identifier)
  }

  /// Whose session a handshake makes: an access token decides, else the user of the request, else the one whom the
  /// message names, unless users have to be proven.
  func userKey(of handshake: BayeuxMessage, on exchange: CometExchange) throws(BayeuxError) -> String? {
    let userKey = exchange.userKey ?? handshake.userKey
    if let userKey, SupportUserKey.isReserved(userKey) { throw BayeuxError(400, ["gms_user"], "reserved") }
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
    guard let user = streams.value.endUser(token) else { throw BayeuxError(401, [], "unknown_token") }
    return SupportUserKey.of(user)
  }
}
