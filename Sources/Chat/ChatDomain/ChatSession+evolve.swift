public import EventSourcing

// What each event records. Replay runs through here millions of times: nothing is searched that grows with the chat.
extension ChatSession {
  public mutating func evolve(_ event: ChatEvent, at time: Timestamp) {
    if event.isUse, lifecycle != .ended || !event.isOfCometSession { lastUse = max(lastUse, time) }
    switch event {
    case .linePosted(let party, let type, let text): append(type, text, party: party, time)
    case .filePosted(let party, let file):
      annotations.note(file)
      append(.file, file.url, party: party, time, file: file)
    case .created(let serviceName, let data, let expiresAt, let userKey):
      lifecycle = .created
      self.serviceName = serviceName
      self.userKey = userKey
      self.data.merge(data)
      timeToLiveDeadline = expiresAt
    case .started(let start): evolve(startedWith: start, at: time)
    case .expired:
      lifecycle = .expired
      links.removeAll()
    case .timeToLiveExtended(let deadline): timeToLiveDeadline = deadline
    case .dataUpdated(let pairs): data.merge(pairs)
    case .pushTargetChanged(let target): pushTarget = target
    case .served(let position): servedPosition = max(servedPosition, position)
    case .erased(let state):
      // Bytes that are no state never get here: they are refused when the event is decoded.
      if let state = try? ChatSession(stateBytes: state) { self = state }

    case .agentJoined(let agentID, let nickname, let role):
      parties.append(ChatParty(agentID: agentID, nickname: nickname, role: role))
      presentAgents.append(parties.count - 1)
      if aside != nil { annotations.invitations.removeAll { $0 == agentID } }
      append(.joined, "", party: parties.count - 1, time)
    case .agentLeft(let party):
      presentAgents.removeAll { $0 == party }
      append(.left, "", party: party, time)
    case .chatEnded(let party, _):
      lifecycle = .ended
      if aside != nil { annotations.invitations = [] }
      append(.left, "", party: party, time)

    case .previewTyped: break
    case .absenceNoted(let text):
      background?.owesAbsenceNotice = false
      appendForAgents(text, time)
    case .returnNoted(let text): appendForAgents(text, time)
    case .privateNoted, .read, .agentInvited, .deskChanged, .wrappedUp, .offered, .offerEnded:
      evolve(desk: event, at: time)

    case .cometSubscribed, .cometConnected, .cometUnsubscribed, .cometDetached, .customerAbsent, .positionStated,
      .customerReturned:
      evolve(link: event, at: time)
    case .pushDelayStarted, .lineRemembered, .pushDelayCancelled, .pushRequested, .pushHandedOver, .pushSettled:
      evolve(push: event, at: time)
    }
  }

  private mutating func evolve(startedWith start: ChatStart, at time: Timestamp) {
    lifecycle = .live
    startedAt = time
    chatSessionID = start.chatSessionID
    userKey = start.userKey ?? userKey
    notifiesByComet = start.notifiesByComet
    takesFiles = start.takesFiles
    subject = start.subject
    pushTarget = start.pushTarget
    userID = start.userID
    secureKey = start.secureKey
    data.merge(start.data)
    parties = [ChatParty(agentID: nil, nickname: start.nickname, role: .client)]
    append(.joined, "", party: ChatParty.customer, time)
    if let first = start.firstMessage, !first.isEmpty {
      append(.messageText, first, party: ChatParty.customer, time)
    }
    startPosition = transcript.count
    basePosition = startPosition
    servedPosition = startPosition
  }

  private mutating func evolve(link event: ChatEvent, at time: Timestamp) {
    switch event {
    case .cometSubscribed(let session, let activeAfter):
      changeLink(session) { $0.isSubscribed = true }
      activate(session, after: activeAfter)
    case .cometConnected(let session, let activeAfter):
      changeLink(session) { $0.isConnected = true }
      activate(session, after: activeAfter)
    case .cometUnsubscribed(let session, let base, let written):
      let position = lastPosition
      changeLink(session) { link in
        link.isSubscribed = false
        if link.isActive { link.sentThrough = position }
        link.activeAfter = nil
      }
      note(base: base, written: written)
    case .cometDetached(let session, let base, let written):
      links.removeAll { $0.session == session }
      note(base: base, written: written)
    case .customerAbsent(let session, let position, let written, let cause, let basis):
      // Records without a basis announced only what had been written nowhere.
      let has = max(written, link(session)?.activeAfter ?? basePosition)
      let coveredAfter = basis == nil ? max(position, has, writtenPosition) : position
      links.removeAll { $0.session == session }
      setAsideActiveLinks()
      note(base: position, written: written)
      phaseCount += 1
      background = BackgroundPhase(
        number: phaseCount, basis: basis ?? .confirmed, coveredAfter: coveredAfter, owesAbsenceNotice: cause == .lost)
      annotations.presence = ChatAnnotations.Presence(since: time, isLost: cause == .lost)
    case .positionStated(let position):
      basePosition = position
      guard var phase = background else { return }
      phase.basis = .stated
      phase.coveredAfter = min(phase.coveredAfter, position)
      background = phase
    case .customerReturned:
      background = nil
      hasBeenOnline = true
      annotations.presence = ChatAnnotations.Presence(since: time)
    default: break
    }
  }

  private mutating func evolve(desk event: ChatEvent, at time: Timestamp) {
    switch event {
    case .privateNoted(_, let nickname, let role, let text):
      appendForAgents(.messageText, text, nickname, role, time)
    case .read(let agentID, let position):
      annotations.readMarks.removeAll { $0.agentID == agentID }
      annotations.readMarks.append(ChatAnnotations.ReadMark(agentID: agentID, position: position))
      if annotations.readMarks.count > ChatLimits.readMarksMaximum { annotations.readMarks.removeFirst() }
    case .agentInvited(let agentID, _): annotations.invitations.append(agentID)
    case .deskChanged(let name): annotations.desk = name == serviceName ? nil : name
    case .offered(let offer): annotations.offer = offer
    case .offerEnded: annotations.offer = nil
    case .wrappedUp(let agentID, let disposition, let note, let tags):
      annotations.wrapUp = ChatWrapUp(
        agentID: agentID, disposition: disposition, note: note, tags: tags, time: time)
    default: break
    }
  }

  private mutating func evolve(push event: ChatEvent, at time: Timestamp) {
    switch event {
    case .pushDelayStarted(_, let positions, let deadline):
      background?.stage = .waiting(deadline: deadline)
      background?.remembered = positions
    case .lineRemembered(let position, let droppingOldest):
      if droppingOldest, background?.remembered.isEmpty == false { background?.remembered.removeFirst() }
      // One that the app turns out not to have may be older than what is remembered.
      let place = background?.remembered.lastIndex { $0 < position }.map { $0 + 1 } ?? 0
      background?.remembered.insert(position, at: place)
    case .pushDelayCancelled:
      background?.stage = .quiet
      background?.remembered = []
    case .pushRequested(let number, let phase, let ordinal, let message, let positions):
      background?.stage = .pushed
      background?.remembered = []
      background?.pushCount = ordinal
      lastPushNumber = number
      guard let pushTarget else { return }
      owedPushes.append(
        ChatPush(
          number: number, phase: phase, ordinal: ordinal, target: pushTarget, message: message,
          lastTranscript: positions.compactMap { position in
            transcript.indices.contains(position - 1)
              ? PushedLine(transcript[position - 1], namesFiles: takesFiles) : nil
          },
          position: positions.max() ?? 0))
    case .pushHandedOver(let number):
      if let push = owedPushes.first(where: { $0.number == number }), push.number > annotations.lastPush?.number ?? 0 {
        annotations.lastPush = HandedPush(number: number, position: push.position, time: time)
      }
      owedPushes.removeAll { $0.number == number }
    case .pushSettled(let number, let outcome):
      guard annotations.lastPush?.number == number else { return }
      annotations.lastPush?.outcome = outcome
      annotations.lastPush?.time = time
    default: break
    }
  }
}

extension ChatSession {
  /// Times never go back within a transcript, even if the clock was set back. Spec: GMS 5.2, item 7.
  private mutating func append(
    _ type: TranscriptEventType, _ text: String, party number: Int, _ time: Timestamp, file: ChatFile? = nil
  ) {
    let author = party(number)
    let moment = transcript.last.map { max($0.time, time) } ?? time
    transcript.append(
      TranscriptEvent(
        position: nextPosition, type: type, nickname: author.nickname, text: type.fixedText ?? text,
        role: author.role, time: moment, file: file))
  }

  private var nextPosition: Int {
    #if CARILLON_CANARIES
      if Canary.sings(.positionOffByOne) { return transcript.count + 2 }
    #endif
    return transcript.count + 1
  }

  /// A line in the customer's name that the customer does not see. Spec: GMS 6.3.
  private mutating func appendForAgents(_ text: String, _ time: Timestamp) {
    let author = party(ChatParty.customer)
    appendForAgents(.custom, text, author.nickname, author.role, time)
  }

  private mutating func appendForAgents(
    _ type: TranscriptEventType, _ text: String, _ nickname: String, _ role: PartyRole, _ time: Timestamp
  ) {
    let moment = transcript.last.map { max($0.time, time) } ?? time
    let line = TranscriptLine(type: type, nickname: nickname, text: text, role: role, time: moment)
    agentOnlyLines.append(AgentOnlyLine(index: lineCount + 1, line: line))
  }

  private mutating func changeLink(_ session: String, _ change: (inout CometLink) -> Void) {
    if let index = links.firstIndex(where: { $0.session == session }) {
      change(&links[index])
    } else {
      var link = CometLink(session: session)
      change(&link)
      links.append(link)
    }
  }

  /// Sessions that nobody holds any more get nothing while the customer is away, and what they were not sent if they
  /// come back.
  private mutating func setAsideActiveLinks() {
    let position = lastPosition
    for index in links.indices where links[index].isActive {
      links[index].sentThrough = position
      links[index].activeAfter = nil
      links[index].isConnected = false
    }
  }

  private mutating func activate(_ session: String, after position: Int?) {
    guard let position else { return }
    let last = lastPosition
    changeLink(session) { link in
      link.activeAfter = position
      link.caughtUpThrough = last
    }
    hasBeenOnline = true
  }

  private mutating func note(base: Int?, written: Int) {
    if let base { basePosition = base }
    writtenPosition = max(writtenPosition, written)
  }
}

extension PushedLine {
  /// - Parameter namesFiles: a file by its name; else by its URL, as URLs are.
  fileprivate init(_ event: TranscriptEvent, namesFiles: Bool) {
    if namesFiles {
      self.init(event.type, event.file?.name ?? event.text)
    } else {
      self.init(event.type.withoutFiles, event.text)
    }
  }
}

// What each event wants done outside. Asked just after `evolve`: the line that an event appended is the last one.
extension ChatSession {
  public func react(to event: ChatEvent) -> [ChatEffect] {
    switch event {
    case .created: return [.startTimer(.timeToLive, at: timeToLiveDeadline)]
    case .timeToLiveExtended(let deadline): return [.startTimer(.timeToLive, at: deadline)]
    case .started:
      return [.opened, .notifyAgents(.waiting)] + transcript.map { .notifyAgents(.line(AgentLine($0))) }
    case .expired: return [.expired]
    case .dataUpdated: return [.notifyAgents(.dataChanged)]
    case .pushTargetChanged(let target): return target.map { [.pushTargetNamed($0)] } ?? []
    case .served: return []
    // Agents are to read anew. Whether they thought the customer away is not known any more; they may hear it twice.
    case .erased: return isLive ? [.notifyAgents(.dataChanged), .notifyAgents(.customerOnline(true))] : []

    case .linePosted, .filePosted, .agentJoined: return toldLine
    case .agentLeft: return presentAgents.isEmpty ? toldLine + [.notifyAgents(.waiting)] : toldLine
    case .chatEnded: return toldLine + [.notifyAgents(.ended), .ended]

    case .read(let agentID, let position): return [.notifyAgents(.read(agentID: agentID, position: position))]
    case .agentInvited(let agentID, _): return [.notifyAgents(.invited(agentID: agentID))]
    case .deskChanged(let name): return [.notifyAgents(.deskChanged(to: name))]
    case .wrappedUp: return [.notifyAgents(.dataChanged)]
    case .offered(let offer):
      return [.startTimer(.offer(until: offer.until), at: offer.until), .notifyAgents(.offered(offer))]
    case .offerEnded(let offer, let end):
      let told = ChatEffect.notifyAgents(.offerEnded(offer, end))
      return end == .passed ? [told] : [.cancelTimer(.offer(until: offer.until)), told]

    case .previewTyped(let text): return [.notifyAgents(.typingPreview(text))]
    case .absenceNoted, .returnNoted, .privateNoted:
      return agentOnlyLines.last.map { [.notifyAgents(.line(AgentLine(position: nil, content: $0.line)))] } ?? []

    case .cometSubscribed(let session, let activeAfter), .cometConnected(let session, let activeAfter):
      return activeAfter.map { catchUp(of: session, after: $0) } ?? []
    case .cometUnsubscribed, .cometDetached, .positionStated: return []
    case .customerAbsent: return [.notifyAgents(.customerOnline(false))]
    case .customerReturned: return isLive ? [.notifyAgents(.customerOnline(true))] : []

    case .pushDelayStarted(let phase, _, let deadline): return [.startTimer(.pushDelay(phase: phase), at: deadline)]
    case .pushDelayCancelled(let phase): return [.cancelTimer(.pushDelay(phase: phase))]
    case .pushRequested(let number, _, _, _, _):
      return owedPushes.last.flatMap { $0.number == number ? [.push($0)] : nil } ?? []
    case .lineRemembered, .pushHandedOver: return []
    case .pushSettled(let number, _):
      return annotations.lastPush.flatMap { $0.number == number ? [.notifyAgents(.pushSettled($0))] : nil } ?? []
    }
  }

  /// The line that was just appended: to the customer's active sessions and to the agents.
  private var toldLine: [ChatEffect] {
    guard let line = transcript.last else { return [] }
    let sessions = activeSessions
    let toAgents = ChatEffect.notifyAgents(.line(AgentLine(line)))
    return sessions.isEmpty ? [toAgents] : [.publish(sessions: sessions, events: [line], ended: isEnded), toAgents]
  }

  /// Everything that the session missed, as exactly one notification; none if it missed nothing. Spec: GMS 6.5.
  private func catchUp(of session: String, after position: Int) -> [ChatEffect] {
    let missed = events(after: position)
    guard !missed.isEmpty else { return [] }
    return [.publish(sessions: [session], events: Array(missed), ended: isEnded, isCatchUp: true)]
  }
}
