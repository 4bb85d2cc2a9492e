import CallbackDomain
import EventSourcing

/// What index and router must know of a callback while it sleeps.
struct CallbackNote: Equatable, Sendable {
  var serviceName = ""
  var status = CallbackStatus.scheduled
  var createdAt = Timestamp(milliseconds: 0)
  var desiredTime: Timestamp?
  var slot: Timestamp?
  var queuedAt: Timestamp?
  var priority = 0
  var agentID: String?
  var wantsAgent = false
  var fields: [NameValuePair] = []
  var isChat = false
  var accessCode: String?
  var chatKey: String?
  /// Whose it is; nil if nobody said.
  var user: String?

  init() {}

  init(_ callback: borrowing Callback, lookupKeys: (_ service: String) -> [String]) {
    guard let request = callback.request else { return }
    serviceName = request.serviceName
    status = callback.status
    createdAt = callback.createdAt
    desiredTime = request.desiredTime
    slot = request.slot
    queuedAt = callback.queuedAt
    priority = request.priority
    agentID = callback.agentID
    wantsAgent = callback.wantsAgent
    isChat = request.terms.media == .chat
    accessCode = request.accessCode
    chatKey = request.chatKey
    user = request.user
    for key in lookupKeys(request.serviceName) {
      if let value = request[key], !value.isEmpty { fields.append(NameValuePair(key, value)) }
    }
  }

  var isOpen: Bool { !serviceName.isEmpty && status != .completed }
  /// Spec: GMS 9.4, the slot of one that is over is free again.
  var takenSlot: Timestamp? { isOpen ? slot : nil }
  /// Where the operator's view has it.
  var time: Timestamp { desiredTime ?? createdAt }
}

extension CallbackNote: PayloadPart {
  private enum Field {
    static let serviceName = PayloadField<String>(1)
    static let status = PayloadField<CallbackStatus>(2)
    static let createdAt = PayloadField<Timestamp>(3)
    /// Absent: as soon as possible.
    static let desiredTime = PayloadField<Timestamp>(4)
    static let slot = PayloadField<Timestamp>(5)
    /// Absent: not in the queue yet.
    static let queuedAt = PayloadField<Timestamp>(6)
    static let priority = PayloadField<Int>(7)
    /// Who is held for it or talks.
    static let agentID = PayloadField<String>(8)
    static let wantsAgent = PayloadField<Bool>(9)
    /// What it can be found by; none is empty.
    static let field = PayloadField<NameValuePair>(10)
    static let isChat = PayloadField<Bool>(11)
    static let accessCode = PayloadField<String>(12)
    /// The key that opens its chat; absent: none was made.
    static let chatKey = PayloadField<String>(13)
    static let user = PayloadField<String>(14)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.serviceName, serviceName)
    writer.put(Field.status, status)
    writer.put(Field.createdAt, createdAt)
    writer.put(Field.desiredTime, ifPresent: desiredTime)
    writer.put(Field.slot, ifPresent: slot)
    writer.put(Field.queuedAt, ifPresent: queuedAt)
    writer.put(Field.priority, priority, unless: 0)
    writer.put(Field.agentID, ifPresent: agentID)
    writer.put(Field.wantsAgent, ifTrue: wantsAgent)
    writer.put(each: Field.field, fields)
    writer.put(Field.isChat, ifTrue: isChat)
    writer.put(Field.accessCode, ifPresent: accessCode)
    writer.put(Field.chatKey, ifPresent: chatKey)
    writer.put(Field.user, ifPresent: user)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    serviceName = try read[Field.serviceName] ?? ""
    status = try read[Field.status] ?? .scheduled
    createdAt = try read[Field.createdAt] ?? .epoch
    desiredTime = try read[Field.desiredTime]
    slot = try read[Field.slot]
    queuedAt = try read[Field.queuedAt]
    priority = try read[Field.priority] ?? 0
    agentID = try read[Field.agentID]
    wantsAgent = try read[Field.wantsAgent] ?? false
    fields = try read.all(Field.field)
    isChat = try read[Field.isChat] ?? false
    accessCode = try read[Field.accessCode]
    chatKey = try read[Field.chatKey]
    user = try read[Field.user]
  }
}
