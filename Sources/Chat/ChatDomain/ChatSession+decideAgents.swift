import EventSourcing

// What agents do. Each line that they add may be pushed. Spec: GMS 12.3.
extension ChatSession {
  func agentJoin(
    _ agentID: String, _ nickname: String, _ role: PartyRole, onlyIfWaiting: Bool, _ policy: ChatPolicy,
    _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    let limits = policy.limits
    if agentID.isEmpty { throw .empty(field: "agentId") }
    try require(agentID, field: "agentId", atMost: limits.nicknameBytesMaximum)
    if nickname.isEmpty { throw .empty(field: "nickname") }
    try require(nickname, field: "nickname", atMost: limits.nicknameBytesMaximum)
    guard role != .client else { throw .invalid(field: "role", reason: "an agent cannot be the customer") }
    guard !hasAgent(agentID) else { throw .alreadyJoined }
    // Decided here and not where the request came in: of two agents who reach for it at once one gets it.
    if onlyIfWaiting, !isInvited(agentID) {
      guard isWaiting else { throw .taken }
      guard offer == nil || offer?.agentID == agentID else { throw .offered }
    }
    guard presentAgents.count < limits.agentsMaximum else { throw .limitReached("agents") }
    try requireRoom(policy)
    return endOfOffer(offer?.agentID == agentID ? .accepted : .taken)
      + [.agentJoined(agentID: agentID, nickname: nickname, role: role)]
      + consequences(ofAgentLine: .joined, policy, now)
  }

  func agentLine(
    _ agentID: String, _ type: TranscriptEventType, _ text: String, field: String, _ policy: ChatPolicy,
    _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    let party = try requireJoined(agentID)
    try requireText(text, field: field, policy)
    try requireRoom(policy)
    return [.linePosted(party: party, type: type, text: text)] + consequences(ofAgentLine: type, policy, now)
  }

  func agentTyping(
    _ agentID: String, _ started: Bool, _ policy: ChatPolicy, _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    let party = try requireJoined(agentID)
    try requireRoom(policy)
    let type: TranscriptEventType = started ? .typingStarted : .typingStopped
    return [.linePosted(party: party, type: type, text: "")] + consequences(ofAgentLine: type, policy, now)
  }

  /// Leaving is possible with a full transcript too: a limit must not keep anybody in a chat.
  func agentLeave(_ agentID: String, _ policy: ChatPolicy, _ now: Timestamp) throws(ChatRejection) -> [ChatEvent] {
    let party = try requireJoined(agentID)
    return [.agentLeft(party: party)] + consequences(ofAgentLine: .left, policy, now)
  }

  /// The customer in the background learns of the end by push. Spec: GMS 6.2, B17.
  func agentClose(_ agentID: String, _ policy: ChatPolicy, _ now: Timestamp) throws(ChatRejection) -> [ChatEvent] {
    let party = try requireJoined(agentID)
    return [.chatEnded(party: party, cause: .party)] + consequences(ofAgentLine: .left, policy, now)
  }

  func requireJoined(_ agentID: String) throws(ChatRejection) -> Int {
    try requireLive()
    guard let party = presentParty(of: agentID) else { throw .notJoined }
    return party
  }
}
