import CallbackDomain
import EventSourcing

/// What index and router must know of a callback while it sleeps.
///
/// | field | |
/// |---|---|
/// | 1 | service name |
/// | 2 | status |
/// | 3 | when it was made |
/// | 4 | desired time (absent: as soon as possible) |
/// | 5 | time slot (absent: none) |
/// | 6 | since when it is in the queue (absent: not yet) |
/// | 7 | priority |
/// | 8 | agent who is held for it or talks (absent: none) |
/// | 9 | wants an agent |
/// | 10… | fields that it can be found by: nested 1 name, 2 value |
/// | 11 | the medium is chat |
/// | 12 | access code |
/// | 13 | key that opens its chat (absent: none was made) |
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
  var fields: [CallbackField] = []
  var isChat = false
  var accessCode: String?
  var chatKey: String?

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
    for key in lookupKeys(request.serviceName) {
      if let value = request[key], !value.isEmpty { fields.append(CallbackField(key, value)) }
    }
  }

  var isOpen: Bool { !serviceName.isEmpty && status != .completed }
  /// Spec: GMS 9.4, the slot of one that is over is free again.
  var takenSlot: Timestamp? { isOpen ? slot : nil }
  /// Where the operator's view has it.
  var time: Timestamp { desiredTime ?? createdAt }

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    writer.text(1, serviceName)
    writer.unsigned(2, UInt64(status.rawValue))
    writer.time(3, createdAt)
    if let desiredTime { writer.time(4, desiredTime) }
    if let slot { writer.time(5, slot) }
    if let queuedAt { writer.time(6, queuedAt) }
    if priority != 0 { writer.integer(7, priority) }
    writer.text(8, ifPresent: agentID)
    if wantsAgent { writer.bool(9, true) }
    for field in fields {
      writer.nested(10) {
        $0.text(1, field.name)
        $0.text(2, field.value)
      }
    }
    if isChat { writer.bool(11, true) }
    writer.text(12, ifPresent: accessCode)
    writer.text(13, ifPresent: chatKey)
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1: serviceName = try payload.text()
        case 2:
          guard let known = CallbackStatus(rawValue: UInt8(truncatingIfNeeded: try payload.unsigned())) else {
            throw .outOfRange(field: 2)
          }
          status = known
        case 3: createdAt = try payload.time()
        case 4: desiredTime = try payload.time()
        case 5: slot = try payload.time()
        case 6: queuedAt = try payload.time()
        case 7: priority = try payload.integer()
        case 8: agentID = try payload.text()
        case 9: wantsAgent = try payload.bool()
        case 10: fields.append(try Self.field(try payload.nested()))
        case 11: isChat = try payload.bool()
        case 12: accessCode = try payload.text()
        case 13: chatKey = try payload.text()
        default: try payload.skip()
        }
      }
    }
  }

  private static func field(_ payload: PayloadReader) throws(PayloadError) -> CallbackField {
    var (payload, name, value) = (payload, "", "")
    while let field = try payload.next() {
      switch field {
      case 1: name = try payload.text()
      case 2: value = try payload.text()
      default: try payload.skip()
      }
    }
    return CallbackField(name, value)
  }
}
