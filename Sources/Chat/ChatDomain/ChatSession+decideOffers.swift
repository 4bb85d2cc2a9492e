import EventSourcing

// Chats that are given to agents. Who gets which is decided outside; whether it is still to be given, here.
extension ChatSession {
  func decideOffer(_ action: ChatAction, _ now: Timestamp) throws(ChatRejection) -> [ChatEvent] {
    switch action {
    case .offer(let agentID, let duration): offer(to: agentID, lasting: duration, now)
    case .offerElapsed(let deadline): offerElapsed(deadline)
    case .withdrawOffer(let agentID): withdrawOffer(from: agentID)
    case .releaseOffer(let agentID): try releaseOffer(agentID)
    default: []
    }
  }

  /// Nothing if it does not wait any more, or is offered to somebody.
  private func offer(to agentID: String, lasting duration: Duration, _ now: Timestamp) -> [ChatEvent] {
    guard isWaiting, offer == nil, !agentID.isEmpty else { return [] }
    return [.offered(ChatOffer(agentID: agentID, until: now.advanced(by: duration)))]
  }

  /// Nothing if that offer has come to its end before.
  private func offerElapsed(_ deadline: Timestamp) -> [ChatEvent] {
    offer?.until == deadline ? endOfOffer(.passed) : []
  }

  /// Nothing if it is not offered to that agent.
  private func withdrawOffer(from agentID: String) -> [ChatEvent] { offer?.agentID == agentID ? endOfOffer(.away) : [] }

  private func releaseOffer(_ agentID: String) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    guard offer?.agentID == agentID else { throw .notOffered }
    return endOfOffer(.released)
  }

  /// What goes before the event that ends the offer, if there is one.
  func endOfOffer(_ end: ChatOfferEnd) -> [ChatEvent] { offer.map { [.offerEnded($0, end)] } ?? [] }
}
