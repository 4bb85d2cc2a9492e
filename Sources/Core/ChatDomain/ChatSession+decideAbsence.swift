import EventSourcing

// The customer's Comet sessions go. Spec: GMS 4.5; 6.2, B6, B16, B19; 6.6.
extension ChatSession {
  func cometDisconnected(
    _ session: String, _ position: Int?, _ delivered: Int, _ concernsSeveralChats: Bool, _ policy: ChatPolicy,
    _ now: Timestamp
  ) -> [ChatEvent] {
    guard takesCometSessions else { return [] }
    let known = link(session)
    let delivered = clamped(delivered)
    let has = max(delivered, known?.activeAfter ?? basePosition)
    // A negative position is as good as none. One position for several chats is believed only as far as it can be true.
    let stated = position.flatMap {
      $0 < 0 ? nil : min($0, concernsSeveralChats ? max(has, writtenPosition) : lastPosition)
    }

    if background != nil {
      // The larger position wins; without one nothing is known that was not known before.
      let base = max(basePosition, stated ?? 0)
      return detach(session, base: base == basePosition ? nil : base, written: delivered)
    }
    if hasActiveSession(except: session) { return detach(session, base: nil, written: delivered) }
    let base = stated ?? has
    guard isLive else { return detach(session, base: base == basePosition ? nil : base, written: delivered) }
    return absence(of: session, position: base, written: delivered, has: has, .disconnected, policy, now)
  }

  func cometLost(_ session: String, _ delivered: Int, _ policy: ChatPolicy, _ now: Timestamp) -> [ChatEvent] {
    guard takesCometSessions, let known = link(session) else { return [] }
    let delivered = clamped(delivered)
    // A session that never was more than a handshake, or one of several, takes nothing along. Spec: GMS 6.2, B15.
    guard background == nil, hasBeenOnline, known.isActive || known.isConnected, !hasActiveSession(except: session)
    else { return detach(session, base: nil, written: delivered) }
    let has = max(delivered, known.activeAfter ?? basePosition)
    guard isLive, policy.cometLoss == .background else { return detach(session, base: has, written: delivered) }
    return absence(of: session, position: has, written: delivered, has: has, .lost, policy, now)
  }

  private func detach(_ session: String, base: Int?, written: Int) -> [ChatEvent] {
    guard link(session) != nil || base != nil else { return [] }
    return [.cometDetached(session: session, base: base, written: written)]
  }

  /// Flags the customer disconnected. What an agent said and nobody wrote to any session counts as said now; what was
  /// written does not, even beyond `position`: it just comes again in the catch-up. Spec: GMS 6.2, last paragraph.
  private func absence(
    of session: String, position: Int, written: Int, has: Int, _ cause: AbsenceCause, _ policy: ChatPolicy,
    _ now: Timestamp
  ) -> [ChatEvent] {
    let unwritten = events(after: max(position, has, writtenPosition)).filter { $0.role != .client }
    var events: [ChatEvent] = [.customerAbsent(session: session, position: position, written: written, cause: cause)]
    let tellsAgents = cause == .disconnected || unwritten.contains { $0.type == .messageText }
    if tellsAgents, !policy.absenceNotice.isEmpty { events.append(.absenceNoted(text: policy.absenceNotice)) }
    let qualifying = unwritten.filter { !policy.pushFilter.contains($0.type) }
      .suffix(max(1, policy.limits.rememberedEventsMaximum)).map(\.position)
    guard !qualifying.isEmpty else { return events }
    return events + firstPush(phase: phaseCount + 1, positions: qualifying, policy, now)
  }
}
