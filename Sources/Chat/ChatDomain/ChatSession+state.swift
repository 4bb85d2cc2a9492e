public import EventSourcing

/// The state of a chat as snapshots and restatements hold it. Field numbers are frozen; what is absent is empty, zero,
/// false or nil.
extension ChatSession: RestorableState {
  private enum Field {
    /// Always written.
    static let lifecycle = PayloadField<ChatLifecycle>(1)
    static let serviceName = PayloadField<String>(2)
    static let data = PayloadField<NameValuePair>(3)
    static let lastUse = PayloadField<Timestamp>(4)
    static let timeToLiveDeadline = PayloadField<Timestamp>(5)
    static let startedAt = PayloadField<Timestamp>(6)
    static let startPosition = PayloadField<Ordinal>(7)
    static let chatSessionID = PayloadField<String>(8)
    static let userKey = PayloadField<String>(9)
    static let notifiesByComet = PayloadField<Bool>(10)
    static let subject = PayloadField<String>(11)
    static let pushTarget = PayloadField<PushTarget>(12)
    static let userID = PayloadField<String>(13)
    static let secureKey = PayloadField<String>(14)
    static let party = PayloadField<ChatParty>(15)
    static let presentAgents = PayloadField<Packed<Ordinal>>(16)
    static let transcript = PayloadField<ChatLineColumns>(17)
    static let agentOnlyLines = PayloadField<ChatLineColumns>(18)
    static let servedPosition = PayloadField<Ordinal>(19)
    static let link = PayloadField<CometLink>(20)
    static let hasBeenOnline = PayloadField<Bool>(21)
    static let basePosition = PayloadField<Ordinal>(22)
    static let writtenPosition = PayloadField<Ordinal>(23)
    /// A `BackgroundPhase`.
    static let background = PayloadField<Nested>(24)
    static let phaseCount = PayloadField<Ordinal>(25)
    static let lastPushNumber = PayloadField<Ordinal>(26)
    /// A `ChatPush`.
    static let owedPush = PayloadField<Nested>(27)
    static let isUserErased = PayloadField<Bool>(28)
    static let annotations = PayloadField<ChatAnnotations>(29)
    static let takesFiles = PayloadField<Bool>(60)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.lifecycle, lifecycle)
    writer.put(Field.serviceName, ifNotEmpty: serviceName)
    writer.put(each: Field.data, data)
    writer.put(Field.lastUse, lastUse, unless: .epoch)
    writer.put(Field.timeToLiveDeadline, timeToLiveDeadline, unless: .epoch)
    writer.put(Field.startedAt, startedAt, unless: .epoch)
    writer.put(Field.startPosition, startPosition, unless: 0)
    writer.put(Field.chatSessionID, ifNotEmpty: chatSessionID)
    writer.put(Field.userKey, ifPresent: userKey)
    writer.put(Field.notifiesByComet, ifTrue: notifiesByComet)
    writer.put(Field.subject, ifNotEmpty: subject)
    writer.put(Field.pushTarget, ifPresent: pushTarget)
    writer.put(Field.userID, ifNotEmpty: userID)
    writer.put(Field.secureKey, ifNotEmpty: secureKey)
    writer.put(each: Field.party, parties)
    writer.put(Field.presentAgents, presentAgents)
    encodeLines(into: &writer)
    writer.put(Field.servedPosition, servedPosition, unless: 0)
    writer.put(each: Field.link, links)
    writer.put(Field.hasBeenOnline, ifTrue: hasBeenOnline)
    writer.put(Field.basePosition, basePosition, unless: 0)
    writer.put(Field.writtenPosition, writtenPosition, unless: 0)
    if let background {
      writer.put(Field.background) { background.encode(into: &$0, coveredAfter: max(basePosition, writtenPosition)) }
    }
    writer.put(Field.phaseCount, phaseCount, unless: 0)
    writer.put(Field.lastPushNumber, lastPushNumber, unless: 0)
    for push in owedPushes { writer.put(Field.owedPush) { push.encode(into: &$0, chatTarget: pushTarget) } }
    writer.put(Field.isUserErased, ifTrue: isUserErased)
    writer.put(Field.annotations, ifPresent: aside?.value)
    writer.put(Field.takesFiles, ifTrue: takesFiles)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    lifecycle = try read.required(Field.lifecycle)
    serviceName = try read[Field.serviceName] ?? ""
    data = try read.all(Field.data)
    lastUse = try read[Field.lastUse] ?? .epoch
    timeToLiveDeadline = try read[Field.timeToLiveDeadline] ?? .epoch
    startedAt = try read[Field.startedAt] ?? .epoch
    startPosition = try read[Field.startPosition] ?? 0
    chatSessionID = try read[Field.chatSessionID] ?? ""
    userKey = try read[Field.userKey]
    notifiesByComet = try read[Field.notifiesByComet] ?? false
    subject = try read[Field.subject] ?? ""
    pushTarget = try read[Field.pushTarget]
    userID = try read[Field.userID] ?? ""
    secureKey = try read[Field.secureKey] ?? ""
    parties = try read.all(Field.party)
    presentAgents = try read.all(Field.presentAgents)
    try restoreLines(try read[Field.transcript], try read[Field.agentOnlyLines])
    servedPosition = try read[Field.servedPosition] ?? 0
    links = try read.all(Field.link)
    hasBeenOnline = try read[Field.hasBeenOnline] ?? false
    basePosition = try read[Field.basePosition] ?? 0
    writtenPosition = try read[Field.writtenPosition] ?? 0
    if var phase = try read[Field.background] {
      background = try BackgroundPhase(payload: &phase, coveredAfter: max(basePosition, writtenPosition))
    }
    phaseCount = try read[Field.phaseCount] ?? 0
    lastPushNumber = try read[Field.lastPushNumber] ?? 0
    for var push in try read.all(Field.owedPush) {
      owedPushes.append(try ChatPush(payload: &push, chatTarget: pushTarget))
    }
    isUserErased = try read[Field.isUserErased] ?? false
    if let annotations = try read[Field.annotations] { self.annotations = annotations }
    takesFiles = try read[Field.takesFiles] ?? false
  }

  /// Chats with pushes that no queue has yet stay awake; everything else that a chat waits for has a timer.
  public var rest: Rest {
    guard owedPushes.isEmpty else { return .wakeful }
    guard lifecycle != .absent, lifecycle != .expired else { return .asleep(until: nil) }
    var deadline = timeToLiveDeadline
    if case .waiting(let end)? = background?.stage { deadline = min(deadline, end) }
    if let offer { deadline = min(deadline, offer.until) }
    return .asleep(until: deadline)
  }
}

extension ChatSession {
  private func encodeLines(into writer: inout PayloadWriter) {
    if !transcript.isEmpty {
      var columns = ChatLineColumns(of: parties, capacity: transcript.count)
      for event in transcript { columns.append(event.content) }
      writer.put(Field.transcript, columns)
    }
    if !agentOnlyLines.isEmpty {
      var columns = ChatLineColumns(of: parties, capacity: agentOnlyLines.count)
      for entry in agentOnlyLines { columns.append(entry.line, place: entry.index) }
      writer.put(Field.agentOnlyLines, columns)
    }
  }

  private mutating func restoreLines(
    _ transcript: ChatLineColumns?, _ agentOnly: ChatLineColumns?
  ) throws(PayloadError) {
    let lines = try transcript?.lines(of: parties) ?? []
    self.transcript.reserveCapacity(lines.count)
    for line in lines {
      self.transcript.append(TranscriptEvent(position: self.transcript.count + 1, content: line))
    }
    let hidden = try agentOnly?.lines(of: parties) ?? []
    let places = agentOnly?.places ?? []
    guard hidden.count == places.count else { throw .outOfRange(field: Field.agentOnlyLines.number) }
    for (line, place) in zip(hidden, places) {
      // The reading of lines counts on it: places rise, and none is beyond the lines that there are.
      guard place > UInt64(agentOnlyLines.last?.index ?? 0), place <= UInt64(lineCount + 1) else {
        throw .outOfRange(field: Field.agentOnlyLines.number)
      }
      agentOnlyLines.append(AgentOnlyLine(index: Int(place), line: line))
    }
  }
}
