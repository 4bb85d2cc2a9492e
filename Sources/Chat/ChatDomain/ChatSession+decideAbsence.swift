import EventSourcing

// The customer's Comet sessions go, and what the app says that it has. Spec: GMS 4.5; 6.1; 6.2, B6, B16, B19; 6.6.
extension ChatSession {
  func cometDisconnected(
    _ session: String, _ position: Int?, _ delivered: Int, _ concernsSeveralChats: Bool, _ departed: Set<String>,
    _ policy: ChatPolicy, _ now: Timestamp
  ) -> [ChatEvent] {
    guard takesCometSessions else { return [] }
    let known = link(session)
    let delivered = clamped(delivered)
    let has = max(delivered, certain(known))
    let stated = position.flatMap { believed($0, has: has, concernsSeveralChats) }

    if background != nil {
      let restated = stated.map { restate($0, replacesStated: true, policy, now) } ?? []
      return detach(session, base: nil, written: delivered) + restated
    }
    if hasActiveSession(except: session, departed) { return detach(session, base: nil, written: delivered) }
    let base = stated ?? has
    guard isLive else { return detach(session, base: base == basePosition ? nil : base, written: delivered) }
    let basis: PositionBasis = stated == nil ? .confirmed : .stated
    return absence(of: session, position: base, basis, written: delivered, .disconnected, policy, now)
  }

  func cometLost(_ session: String, _ delivered: Int, _ policy: ChatPolicy, _ now: Timestamp) -> [ChatEvent] {
    guard takesCometSessions, let known = link(session) else { return [] }
    let delivered = clamped(delivered)
    // A session that never was more than a handshake, or one of several, takes nothing along. Spec: GMS 6.2, B15.
    guard background == nil, hasBeenOnline, known.isActive || known.isConnected, !hasActiveSession(except: session)
    else { return detach(session, base: nil, written: delivered) }
    let has = max(delivered, certain(known))
    guard isLive, policy.cometLoss == .background else { return detach(session, base: has, written: delivered) }
    return absence(of: session, position: has, .confirmed, written: delivered, .lost, policy, now)
  }

  func statePosition(
    _ position: Int, _ concernsSeveralChats: Bool, replacesStated: Bool, _ policy: ChatPolicy, _ now: Timestamp
  ) -> [ChatEvent] {
    guard takesCometSessions, let stated = believed(position, has: basePosition, concernsSeveralChats) else {
      return []
    }
    return restate(stated, replacesStated: replacesStated, policy, now)
  }

  /// A negative position is as good as none. One position for several chats is believed only as far as it can be true.
  private func believed(_ position: Int, has: Int, _ concernsSeveralChats: Bool) -> Int? {
    #if CARILLON_CANARIES
      if Canary.sings(.positionGuessed) { return clamped(max(position, has)) }
    #endif
    return position < 0 ? nil : min(position, concernsSeveralChats ? max(has, writtenPosition) : lastPosition)
  }

  private func detach(_ session: String, base: Int?, written: Int) -> [ChatEvent] {
    guard link(session) != nil || base != nil else { return [] }
    return [.cometDetached(session: session, base: base, written: written)]
  }

  /// Flags the customer disconnected. What an agent said after `position` counts as said now, whether or not it was
  /// written to a socket: the app says, or must be taken, not to have shown it. Spec: GMS 6.2, last paragraph.
  private func absence(
    of session: String, position: Int, _ basis: PositionBasis, written: Int, _ cause: AbsenceCause,
    _ policy: ChatPolicy, _ now: Timestamp
  ) -> [ChatEvent] {
    let missed = events(after: position).filter { $0.role != .client }
    var events: [ChatEvent] = [
      .customerAbsent(session: session, position: position, written: written, cause: cause, basis: basis)
    ]
    let tellsAgents = cause == .disconnected || missed.contains { $0.type == .messageText }
    if tellsAgents, !policy.absenceNotice.isEmpty { events.append(.absenceNoted(text: policy.absenceNotice)) }
    let qualifying = qualifying(missed[...], policy)
    guard !qualifying.isEmpty else { return events }
    return events + firstPush(phase: phaseCount + 1, positions: qualifying, policy, now)
  }

  /// Another position within the phase: it takes the place of a guess as it is, and of a stated one if it is larger.
  /// What lies above it and nobody was pushed counts as said now. Spec: GMS 6.2, B16.
  private func restate(
    _ position: Int, replacesStated: Bool, _ policy: ChatPolicy, _ now: Timestamp
  ) -> [ChatEvent] {
    guard let background else { return [] }
    if background.basis == .stated, !replacesStated || position <= basePosition { return [] }
    var events: [ChatEvent] = [.positionStated(position: position)]
    // Nobody calls a customer who has left of their own accord. Spec: GMS 6.2, B18.
    guard isLive || transcript.last?.role != .client, position < background.coveredAfter else { return events }
    let missed = self.events(after: position).prefix(background.coveredAfter - position)
    let qualifying = qualifying(missed, policy)
    guard !qualifying.isEmpty else { return events }
    switch background.stage {
    case .quiet: events += firstPush(phase: background.number, positions: qualifying, policy, now)
    case .waiting:
      // They are older than what is remembered: beyond the bound it is they who are left out.
      let room = max(0, policy.limits.rememberedEventsMaximum - background.remembered.count)
      events += qualifying.suffix(room).map { .lineRemembered(position: $0, droppingOldest: false) }
    case .pushed:
      guard pushTarget != nil else { break }
      events.append(
        .pushRequested(
          number: lastPushNumber + 1, phase: background.number, ordinal: background.pushCount + 1,
          message: policy.pushMessage, positions: qualifying))
    }
    return events
  }

  /// Which of these events the customer is pushed.
  private func qualifying(_ events: ArraySlice<TranscriptEvent>, _ policy: ChatPolicy) -> [Int] {
    events.filter { $0.role != .client && policy.pushes($0.type) }
      .suffix(max(1, policy.limits.rememberedEventsMaximum)).map(\.position)
  }
}
