import ChatDomain
import EventSourcing

/// What the index must know of a chat while it sleeps.
struct ChatNote: Equatable {
  var serviceName = ""
  var options: [NameValuePair] = []
  var chatSessionID: String?
  var userKey: String?
  var isUserErased = false
  var isEnded = false
  var sessions: [String] = []
  var startedAt: Timestamp?
  var agents: [String] = []
  var waitingSince: Timestamp?
  var phase: CustomerPhase?
  var invited: [String] = []
  var desk: String?
  var offeredTo: String?

  init(_ chat: borrowing ChatSession) {
    serviceName = chat.serviceName
    options = chat.data.filter { $0.name.hasPrefix("_") }
    chatSessionID = chat.isStarted ? chat.chatSessionID : nil
    userKey = chat.userKey
    isUserErased = chat.isUserErased
    isEnded = chat.isEnded
    sessions = chat.attachedSessions
    startedAt = chat.isStarted ? chat.startedAt : nil
    agents = chat.agents.map(\.id)
    waitingSince = chat.waitingSince
    phase = chat.customerPhase
    invited = chat.invitations
    desk = chat.deskService == chat.serviceName ? nil : chat.deskService
    offeredTo = chat.offer?.agentID
  }

  var standing: ChatStanding { ChatStanding(waitingSince: waitingSince, phase: phase) }

  /// Since when a chat waits that no agent has met.
  private var usualWait: Timestamp? { agents.isEmpty && !isEnded ? startedAt : nil }

  /// It was made by a version that had no lists to keep: what is missing is in the state.
  var isShort: Bool { chatSessionID != nil && startedAt == nil }
}

extension ChatNote: PayloadPart {
  private enum Field {
    static let serviceName = PayloadField<String>(1)
    /// Of the request.
    static let option = PayloadField<WholePair>(2)
    /// Absent: not started.
    static let chatSessionID = PayloadField<String>(3)
    static let userKey = PayloadField<String>(4)
    static let isEnded = PayloadField<Bool>(5)
    /// The clientIds of the Comet sessions that it knows.
    static let session = PayloadField<String>(6)
    /// It had a user, who was erased.
    static let isUserErased = PayloadField<Bool>(7)
    /// Absent: not started, or a note from before there were lists.
    static let startedAt = PayloadField<Timestamp>(8)
    /// Who is in it, or was when it ended.
    static let agent = PayloadField<String>(9)
    /// Absent: since its start if nobody is in it, else nobody waits.
    static let waitingSince = PayloadField<Timestamp>(10)
    static let isAway = PayloadField<Bool>(11)
    /// Of a customer who is away.
    static let isLost = PayloadField<Bool>(12)
    static let invited = PayloadField<String>(13)
    /// Absent: that of the service.
    static let desk = PayloadField<String>(14)
    /// Of a chat that waits.
    static let offeredTo = PayloadField<String>(15)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.serviceName, serviceName)
    writer.put(each: Field.option, options)
    writer.put(Field.chatSessionID, ifPresent: chatSessionID)
    writer.put(Field.userKey, ifPresent: userKey)
    writer.put(Field.isEnded, ifTrue: isEnded)
    writer.put(each: Field.session, sessions)
    writer.put(Field.isUserErased, ifTrue: isUserErased)
    writer.put(Field.startedAt, ifPresent: startedAt)
    writer.put(each: Field.agent, agents)
    if waitingSince != usualWait { writer.put(Field.waitingSince, ifPresent: waitingSince) }
    writer.put(Field.isAway, ifTrue: phase == .background || phase == .lost)
    writer.put(Field.isLost, ifTrue: phase == .lost)
    writer.put(each: Field.invited, invited)
    writer.put(Field.desk, ifPresent: desk)
    writer.put(Field.offeredTo, ifPresent: offeredTo)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    serviceName = try read[Field.serviceName] ?? ""
    options = try read.all(Field.option)
    chatSessionID = try read[Field.chatSessionID]
    userKey = try read[Field.userKey]
    isEnded = try read[Field.isEnded] ?? false
    sessions = try read.all(Field.session)
    isUserErased = try read[Field.isUserErased] ?? false
    startedAt = try read[Field.startedAt]
    agents = try read.all(Field.agent)
    waitingSince = try read[Field.waitingSince] ?? usualWait
    invited = try read.all(Field.invited)
    desk = try read[Field.desk]
    offeredTo = try read[Field.offeredTo]
    let (isAway, isLost) = (try read[Field.isAway] ?? false, try read[Field.isLost] ?? false)
    phase = startedAt == nil || isEnded ? nil : !isAway ? .foreground : isLost ? .lost : .background
  }
}
