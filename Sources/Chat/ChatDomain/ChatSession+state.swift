public import EventSourcing

/// The state of a chat as snapshots and restatements hold it. Field numbers are frozen.
///
/// | field | content | field | content |
/// |---|---|---|---|
/// | 1 | lifecycle (always written) | 15 | party…: agent 1, nickname 2, role 3 |
/// | 2 | service name | 16 | numbers of the agents in the chat, packed |
/// | 3 | data pair… | 17 | transcript: `ChatLineColumns` |
/// | 4 | last use | 18 | agent-only lines: `ChatLineColumns` |
/// | 5 | deadline of the time to live | 19 | served position |
/// | 6 | started at | 20 | link…: session 1, subscribed 2, connected 3, active after 4, sent through 5, caught up through 6 |
/// | 7 | start position | 21 | has been online |
/// | 8 | chat session id | 22 | base position |
/// | 9 | user key | 23 | written position |
/// | 10 | notifies by Comet | 24 | background: see `BackgroundPhase` in `ChatStateParts+payload.swift` |
/// | 11 | subject | 25 | background phases |
/// | 12 | push target, as in `ChatStart` | 26 | last push number |
/// | 13 | user id | 27 | owed push…: see `ChatPush` in `ChatStateParts+payload.swift` |
/// | 14 | secure key | 28 | its user was erased |
///
/// What is absent is empty, zero, false or nil.
extension ChatSession: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.unsigned(1, lifecycle.code)
    writer.text(2, ifNotEmpty: serviceName)
    writer.pairs(3, data)
    writer.time(4, ifNotEpoch: lastUse)
    writer.time(5, ifNotEpoch: timeToLiveDeadline)
    writer.time(6, ifNotEpoch: startedAt)
    writer.integer(7, ifNotZero: startPosition)
    writer.text(8, ifNotEmpty: chatSessionID)
    writer.text(9, ifPresent: userKey)
    writer.bool(10, ifTrue: notifiesByComet)
    writer.text(11, ifNotEmpty: subject)
    if let pushTarget { writer.nested(12) { pushTarget.encode(into: &$0) } }
    writer.text(13, ifNotEmpty: userID)
    writer.text(14, ifNotEmpty: secureKey)
    for party in parties { writer.nested(15) { party.encode(into: &$0) } }
    writer.packed(16, presentAgents.map(UInt64.init))
    encodeLines(into: &writer)
    writer.integer(19, ifNotZero: servedPosition)
    for link in links { writer.nested(20) { link.encode(into: &$0) } }
    writer.bool(21, ifTrue: hasBeenOnline)
    writer.integer(22, ifNotZero: basePosition)
    writer.integer(23, ifNotZero: writtenPosition)
    if let background {
      writer.nested(24) { background.encode(into: &$0, coveredAfter: max(basePosition, writtenPosition)) }
    }
    writer.integer(25, ifNotZero: phaseCount)
    writer.integer(26, ifNotZero: lastPushNumber)
    for push in owedPushes { writer.nested(27) { push.encode(into: &$0, chatTarget: pushTarget) } }
    writer.bool(28, ifTrue: isUserErased)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    var lifecycle: UInt64?
    var transcript: ChatLineColumns?
    var agentOnlyLines: ChatLineColumns?
    var owedPushes: [OwedPushFields] = []
    while let field = try payload.next() {
      switch field {
      case 1: lifecycle = try payload.unsigned()
      case 2: serviceName = try payload.text()
      case 3: data.append(try payload.pair())
      case 4: lastUse = try payload.time()
      case 5: timeToLiveDeadline = try payload.time()
      case 6: startedAt = try payload.time()
      case 7: startPosition = try payload.ordinal(field)
      case 8: chatSessionID = try payload.text()
      case 9: userKey = try payload.text()
      case 10: notifiesByComet = try payload.bool()
      case 11: subject = try payload.text()
      case 12: pushTarget = try payload.message(PushTarget.init(payload:))
      case 13: userID = try payload.text()
      case 14: secureKey = try payload.text()
      case 15: parties.append(try payload.message(ChatParty.init(payload:)))
      case 16: presentAgents += try payload.ordinals(field)
      case 17: transcript = try payload.message(ChatLineColumns.init(payload:))
      case 18: agentOnlyLines = try payload.message(ChatLineColumns.init(payload:))
      case 19: servedPosition = try payload.ordinal(field)
      case 20: links.append(try payload.message(CometLink.init(payload:)))
      case 21: hasBeenOnline = try payload.bool()
      case 22: basePosition = try payload.ordinal(field)
      case 23: writtenPosition = try payload.ordinal(field)
      case 24:
        // The positions stand before it.
        var phase = try payload.nested()
        background = try BackgroundPhase(payload: &phase, coveredAfter: max(basePosition, writtenPosition))
      case 25: phaseCount = try payload.ordinal(field)
      case 26: lastPushNumber = try payload.ordinal(field)
      case 27: owedPushes.append(try payload.message(OwedPushFields.init(payload:)))
      case 28: isUserErased = try payload.bool()
      default: try payload.skip()
      }
    }
    self.lifecycle = try ChatLifecycle(code: lifecycle.required(1)).inRange(1)
    try restoreLines(transcript, agentOnlyLines)
    for fields in owedPushes { self.owedPushes.append(try fields.push(chatTarget: pushTarget)) }
  }

  /// Chats with pushes that no queue has yet stay awake; everything else that a chat waits for has a timer.
  public var rest: Rest {
    guard owedPushes.isEmpty else { return .wakeful }
    guard lifecycle != .absent, lifecycle != .expired else { return .asleep(until: nil) }
    if case .waiting(let deadline)? = background?.stage { return .asleep(until: min(deadline, timeToLiveDeadline)) }
    return .asleep(until: timeToLiveDeadline)
  }
}

extension ChatSession {
  private func encodeLines(into writer: inout PayloadWriter) {
    if !transcript.isEmpty {
      var columns = ChatLineColumns(of: parties, capacity: transcript.count)
      for event in transcript {
        columns.append(
          ChatLineColumns.Line(
            type: event.type, nickname: event.nickname, text: event.text, role: event.role, time: event.time))
      }
      writer.nested(17) { columns.encode(into: &$0) }
    }
    if !agentOnlyLines.isEmpty {
      var columns = ChatLineColumns(of: parties, capacity: agentOnlyLines.count)
      for entry in agentOnlyLines {
        let line = entry.line
        columns.append(
          ChatLineColumns.Line(
            type: line.type, nickname: line.nickname, text: line.text, role: line.role, time: line.time),
          place: entry.index)
      }
      writer.nested(18) { columns.encode(into: &$0) }
    }
  }

  private mutating func restoreLines(
    _ transcript: ChatLineColumns?, _ agentOnly: ChatLineColumns?
  ) throws(PayloadError) {
    let lines = try transcript?.lines(of: parties) ?? []
    self.transcript.reserveCapacity(lines.count)
    for line in lines {
      self.transcript.append(
        TranscriptEvent(
          position: self.transcript.count + 1, type: line.type, nickname: line.nickname, text: line.text,
          role: line.role, time: line.time))
    }
    let hidden = try agentOnly?.lines(of: parties) ?? []
    let places = agentOnly?.places ?? []
    guard hidden.count == places.count else { throw .outOfRange(field: 18) }
    for (line, place) in zip(hidden, places) {
      // The reading of lines counts on it: places rise, and none is beyond the lines that there are.
      guard place > UInt64(agentOnlyLines.last?.index ?? 0), place <= UInt64(lineCount + 1) else {
        throw .outOfRange(field: 18)
      }
      agentOnlyLines.append(
        AgentOnlyLine(
          index: Int(place),
          line: AgentLine(
            position: nil, type: line.type, nickname: line.nickname, text: line.text, role: line.role,
            time: line.time)))
    }
  }
}
