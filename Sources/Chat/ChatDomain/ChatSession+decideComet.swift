import EventSourcing

// The customer's Comet sessions come. Spec: GMS 4.6; 6.2, B1, B13 to B15; 6.5.
extension ChatSession {
  func cometSubscribed(
    _ session: String, _ delivered: Int, _ stated: Int?, _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    guard takesCometSessions else { return [] }
    let known = link(session)
    if background != nil {
      // It has connected before the phase began and polls: the customer is there.
      if known?.isConnected == true {
        return customerReturn(policy) + [
          .cometSubscribed(session: session, activeAfter: activationBase(known, 0, stated))
        ]
      }
      guard known?.isSubscribed != true else { return [] }
      try requireRoom(forSession: session, policy)
      return [.cometSubscribed(session: session, activeAfter: nil)]
    }
    guard known?.isSubscribed != true else { return [] }
    try requireRoom(forSession: session, policy)
    return [.cometSubscribed(session: session, activeAfter: activationBase(known, delivered, stated))]
  }

  func cometConnected(
    _ session: String, _ delivered: Int, _ stated: Int?, _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    guard takesCometSessions else { return [] }
    let known = link(session)
    try requireRoom(forSession: session, policy)
    if background != nil {
      // Everything after P, whatever was written before: the app has said what it has.
      let activeAfter = known?.isSubscribed == true ? activationBase(known, 0, stated) : nil
      return customerReturn(policy) + [.cometConnected(session: session, activeAfter: activeAfter)]
    }
    guard known?.isConnected != true else { return [] }
    let activates = known.map { $0.isSubscribed && !$0.isActive } ?? false
    return [
      .cometConnected(session: session, activeAfter: activates ? activationBase(known, delivered, stated) : nil)
    ]
  }

  func cometUnsubscribed(_ session: String, _ delivered: Int) -> [ChatEvent] {
    guard takesCometSessions, let known = link(session), known.isSubscribed else { return [] }
    let delivered = clamped(delivered)
    let base = known.isActive ? max(certain(known), delivered) : nil
    return [
      .cometUnsubscribed(session: session, base: hasActiveSession(except: session) ? nil : base, written: delivered)
    ]
  }

  /// Polling chats have no Comet side; after the end a session still gets what it missed. Spec: GMS 3.6, 6.5 item 5.
  var takesCometSessions: Bool { notifiesByComet && (lifecycle == .live || lifecycle == .ended) }

  func clamped(_ position: Int) -> Int { min(max(0, position), lastPosition) }

  /// - Parameters:
  ///   - delivered: what any live session of the customer has confirmed.
  ///   - stated: what the app says it has; it knows best what it has shown. Spec: GMS 6.1.
  private func activationBase(_ known: CometLink?, _ delivered: Int, _ stated: Int?) -> Int {
    let has = stated.map(clamped) ?? max(basePosition, hasBeenOnline ? clamped(delivered) : 0)
    return max(has, known?.sentThrough ?? 0)
  }

  private func customerReturn(_ policy: ChatPolicy) -> [ChatEvent] {
    var events = pushDelayCancellation + [.customerReturned]
    if isLive, !policy.returnNotice.isEmpty { events.append(.returnNoted(text: policy.returnNotice)) }
    return events
  }

  private func requireRoom(forSession session: String, _ policy: ChatPolicy) throws(ChatRejection) {
    guard link(session) != nil || links.count < policy.limits.cometSessionsMaximum else {
      throw .limitReached("cometSessions")
    }
  }
}
