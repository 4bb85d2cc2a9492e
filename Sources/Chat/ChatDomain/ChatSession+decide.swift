public import EventSourcing

// Which rule answers which command. The rules stand by topic in the files beside this one.
extension ChatSession {
  /// What comes from the machine itself (timers, Comet sessions, the push queue) is never refused because it comes
  /// too late: it changes nothing then.
  public func decide(_ command: ChatCommand, now: Timestamp) throws(ChatRejection) -> [ChatEvent] {
    let policy = command.policy
    guard opens(to: command.caller, policy) else { throw .unknownService }
    switch command.action {
    case .create(let serviceName, let data, let userKey): return try create(serviceName, data, userKey, policy, now)
    case .start(let start): return try begin(start, policy)
    case .createAndStart(let serviceName, let data, let userKey, let start):
      return try createAndBegin(serviceName, data, userKey, start, policy, now)
    case .timeToLiveElapsed: return timeToLiveElapsed(policy, now)
    case .erase: return erase()

    case .customerSend(let text): return try customerLine(.messageText, text, field: "message", policy)
    case .customerTyping(let started, let preview): return try customerTyping(started, preview, policy)
    case .customerNotice(let text): return try customerLine(.custom, text, field: "message", policy)
    case .customerPushURL(let url):
      let line = try customerLine(.pushURL, url, field: "pushUrl", policy)
      try requireWebAddress(url, field: "pushUrl")
      return line
    case .updateData(let pairs): return try updateData(pairs, policy)
    case .changePushTarget(let target): return try changePushTarget(target, policy)
    case .customerLeave: return try customerLeave()
    case .noteServed(let position): return noteServed(position, policy, now)

    case .agentJoin(let agentID, let nickname, let role, let onlyIfWaiting):
      return try agentJoin(agentID, nickname, role, onlyIfWaiting: onlyIfWaiting, policy, now)
    case .agentSend(let agentID, let text):
      return try agentLine(agentID, .messageText, text, field: "text", policy, now)
    case .agentTyping(let agentID, let started): return try agentTyping(agentID, started, policy, now)
    case .agentPushURL(let agentID, let url):
      let line = try agentLine(agentID, .pushURL, url, field: "url", policy, now)
      try requireWebAddress(url, field: "url")
      return line
    case .sendFile(let file, let agentID): return try sendFile(file, by: agentID, policy, now)
    case .agentNotice(let agentID, let text): return try agentLine(agentID, .custom, text, field: "text", policy, now)
    case .agentLeave(let agentID): return try agentLeave(agentID, policy, now)
    case .agentClose(let agentID): return try agentClose(agentID, policy, now)
    case .agentNote(let agentID, let text): return try agentNote(agentID, text, policy)
    case .whisper(let agentID, let text): return try whisper(agentID, text, policy)
    case .agentRead(let agentID, let position): return try agentRead(agentID, position)
    case .invite(let agentID, let inviter, let isSupervisor):
      return try invite(agentID, by: inviter, isSupervisor: isSupervisor, policy)
    case .transfer(let agentID, let target): return try transfer(agentID, to: target, policy, now)
    case .takeOver(let agentID, let nickname): return try takeOver(agentID, nickname, policy, now)
    case .wrapUp(let agentID, let disposition, let note, let tags):
      return try wrapUp(agentID, disposition, note, tags, policy)
    case .offer, .offerElapsed, .withdrawOffer, .releaseOffer: return try decideOffer(command.action, now)

    case .cometSubscribed(let session, let delivered, let stated):
      return try cometSubscribed(session, delivered, stated, policy)
    case .cometConnected(let session, let delivered, let stated):
      return try cometConnected(session, delivered, stated, policy)
    case .cometUnsubscribed(let session, let delivered): return cometUnsubscribed(session, delivered)
    case .cometDisconnected(let session, let position, let delivered, let concernsSeveralChats, let departed):
      return cometDisconnected(session, position, delivered, concernsSeveralChats, departed, policy, now)
    case .statePosition(let position, let concernsSeveralChats, let replacesStated):
      return statePosition(position, concernsSeveralChats, replacesStated: replacesStated, policy, now)
    case .cometLost(let session, let delivered): return cometLost(session, delivered, policy, now)

    case .pushDelayElapsed(let phase): return pushDelayElapsed(phase, policy)
    case .pushHandedOver(let number):
      return owedPushes.contains { $0.number == number } ? [.pushHandedOver(number: number)] : []
    case .pushSettled(let number, let outcome): return pushSettled(number, outcome)
    }
  }
}

// What every rule asks first.
extension ChatSession {
  func requireStarted() throws(ChatRejection) {
    switch lifecycle {
    case .absent, .expired: throw .unknownService
    case .created: throw .notStarted
    case .live, .ended: return
    }
  }

  func requireLive() throws(ChatRejection) {
    try requireStarted()
    if lifecycle == .ended { throw .ended }
  }

  func requireRoom(for count: Int = 1, _ policy: ChatPolicy) throws(ChatRejection) {
    guard transcript.count <= policy.limits.transcriptEventsMaximum - count else {
      throw .limitReached("transcriptEvents")
    }
  }

  func require(_ text: String, field: String, atMost limit: Int) throws(ChatRejection) {
    guard text.utf8.count <= limit else { throw .tooLong(field: field, limit: limit) }
  }

  /// What the other side's app is to open: a page of the web, never a script or a file of its own.
  func requireWebAddress(_ url: String, field: String) throws(ChatRejection) {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    let rest = url.utf8.dropFirst(scheme.utf8.count)
    guard scheme == "http" || scheme == "https", rest.starts(with: "://".utf8),
      let first = rest.dropFirst(3).first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?"),
      first != UInt8(ascii: "#"), url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
    else { throw .invalid(field: field, reason: "is not an http or https URL") }
  }

  func requireText(_ text: String, field: String, _ policy: ChatPolicy) throws(ChatRejection) {
    if text.isEmpty { throw .empty(field: field) }
    try require(text, field: field, atMost: policy.limits.textBytesMaximum)
  }
}
