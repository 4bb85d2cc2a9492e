import EventSourcing

// What agents do beside the conversation, and how they pass it on.
extension ChatSession {
  func agentNote(_ agentID: String, _ text: String, _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    let author = party(try requireJoined(agentID))
    return try privateLine(agentID, author.nickname, author.role, text, policy)
  }

  /// Under the name that the agents know: whoever is not in the chat has no other.
  func whisper(_ agentID: String, _ text: String, _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    let nickname = presentParty(of: agentID).map { party($0).nickname } ?? agentID
    return try privateLine(agentID, nickname, .supervisor, text, policy)
  }

  private func privateLine(
    _ agentID: String, _ nickname: String, _ role: PartyRole, _ text: String, _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    try requireText(text, field: "text", policy)
    guard agentOnlyLines.count(where: { $0.line.type == .messageText }) < policy.limits.privateNotesMaximum else {
      throw .limitReached("privateNotes")
    }
    return [.privateNoted(agentID: agentID, nickname: nickname, role: role, text: text)]
  }

  /// What lies beyond the transcript is its end.
  func agentRead(_ agentID: String, _ position: Int) throws(ChatRejection) -> [ChatEvent] {
    try requireStarted()
    let position = clamped(position)
    return position > readMark(of: agentID) ? [.read(agentID: agentID, upTo: position)] : []
  }

  // MARK: Passing on

  func invite(
    _ agentID: String, by inviter: String, isSupervisor: Bool, _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    if isSupervisor { try requireLive() } else { _ = try requireJoined(inviter) }
    if agentID.isEmpty { throw .empty(field: "agentId") }
    try require(agentID, field: "agentId", atMost: policy.limits.nicknameBytesMaximum)
    guard agentID != inviter else { throw .invalid(field: "agentId", reason: "is your own") }
    guard !hasAgent(agentID) else { throw .alreadyThere }
    if isInvited(agentID) { return [] }
    guard annotations.invitations.count < policy.limits.agentsMaximum else { throw .limitReached("invitations") }
    return [.agentInvited(agentID: agentID, inviter: inviter)]
  }

  func transfer(
    _ agentID: String, to target: ChatTransferTarget, _ policy: ChatPolicy, _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    _ = try requireJoined(agentID)
    var draft = ChatDraft(self, now)
    switch target {
    case .agent(let other): draft.add(try invite(other, by: agentID, isSupervisor: false, policy))
    case .service(let name):
      if name.isEmpty { throw .empty(field: "service") }
      try require(name, field: "service", atMost: policy.limits.dataBytesMaximum)
      if name != deskService { draft.add([.deskChanged(to: name)]) }
    }
    draft.add(try draft.chat.agentLeave(agentID, policy, now))
    return draft.events
  }

  /// The supervisor comes before the others go: nobody else is to find it waiting.
  func takeOver(
    _ agentID: String, _ nickname: String, _ policy: ChatPolicy, _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    var draft = ChatDraft(self, now)
    if !hasAgent(agentID) {
      // Those who go make room.
      var roomier = policy
      roomier.limits.agentsMaximum += 1
      draft.add(try agentJoin(agentID, nickname, .supervisor, onlyIfWaiting: false, roomier, now))
    }
    for other in agents where other.id != agentID { draft.add(try draft.chat.agentLeave(other.id, policy, now)) }
    return draft.events
  }

  // MARK: Afterwards

  func wrapUp(
    _ agentID: String, _ disposition: String, _ note: String, _ tags: [String], _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    try requireStarted()
    guard hasHadAgent(agentID) else { throw .notJoined }
    if disposition.isEmpty { throw .empty(field: "disposition") }
    try require(disposition, field: "disposition", atMost: ChatLimits.dispositionBytesMaximum)
    try require(note, field: "note", atMost: policy.limits.textBytesMaximum)
    guard tags.count <= ChatLimits.tagsMaximum else {
      throw .invalid(field: "tags", reason: "has more than \(ChatLimits.tagsMaximum) elements")
    }
    var distinct: [String] = []
    for tag in tags {
      if tag.isEmpty { throw .invalid(field: "tags", reason: "has an empty element") }
      try require(tag, field: "tags", atMost: ChatLimits.tagBytesMaximum)
      if !distinct.contains(tag) { distinct.append(tag) }
    }
    let last = annotations.wrapUp
    let isSame =
      last?.agentID == agentID && last?.disposition == disposition && last?.note == note && last?.tags == distinct
    return isSame ? [] : [.wrappedUp(agentID: agentID, disposition: disposition, note: note, tags: distinct)]
  }
}
