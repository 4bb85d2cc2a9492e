public import EventSourcing

/// The fields of all chat events. A number means the same in every event and is never used again for another.
private enum Field {
  static let party = 1
  static let type = 2
  static let text = 3
  static let position = 4
  static let session = 5
  static let time = 6
  static let phase = 7
  static let number = 8
  static let ordinal = 9
  static let positions = 10
  static let written = 11
  static let cause = 12
  static let nickname = 13
  static let role = 14
  static let agentID = 15
  static let pair = 16
  static let serviceName = 17
  static let start = 18
  static let droppingOldest = 19
  static let state = 20
  static let basis = 21
  static let userKey = 22
  static let target = 40
}

extension ChatEvent {
  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let serviceName, let data, let expiresAt, let userKey):
      writer.text(Field.serviceName, serviceName)
      writer.pairs(Field.pair, data)
      writer.time(Field.time, expiresAt)
      writer.text(Field.userKey, ifPresent: userKey)
    case .started(let start): writer.nested(Field.start) { start.encode(into: &$0) }
    case .linePosted(let party, let type, let text):
      writer.integer(Field.party, party)
      if type != .messageText { writer.unsigned(Field.type, type.code) }
      writer.text(Field.text, ifNotEmpty: text)
    case .previewTyped(let text), .absenceNoted(let text), .returnNoted(let text): writer.text(Field.text, text)
    case .dataUpdated(let pairs): writer.pairs(Field.pair, pairs)
    case .agentJoined(let agentID, let nickname, let role):
      writer.text(Field.agentID, agentID)
      writer.text(Field.nickname, nickname)
      writer.unsigned(Field.role, role.code)
    case .agentLeft(let party): writer.integer(Field.party, party)
    case .chatEnded(let party, let cause):
      writer.integer(Field.party, party)
      writer.unsigned(Field.cause, cause.code)
    case .expired, .customerReturned: break
    case .timeToLiveExtended(let deadline): writer.time(Field.time, deadline)
    case .served(let position): writer.integer(Field.position, position)
    case .cometSubscribed(let session, let activeAfter), .cometConnected(let session, let activeAfter):
      writer.text(Field.session, session)
      if let activeAfter { writer.integer(Field.position, activeAfter) }
    case .cometUnsubscribed(let session, let base, let written), .cometDetached(let session, let base, let written):
      writer.text(Field.session, session)
      if let base { writer.integer(Field.position, base) }
      writer.integer(Field.written, written)
    case .customerAbsent(let session, let position, let written, let cause, let basis):
      writer.text(Field.session, session)
      writer.integer(Field.position, position)
      writer.integer(Field.written, written)
      writer.unsigned(Field.cause, cause.code)
      if let basis { writer.unsigned(Field.basis, basis.code) }
    case .positionStated(let position): writer.integer(Field.position, position)
    case .pushDelayStarted(let phase, let positions, let deadline):
      writer.integer(Field.phase, phase)
      for position in positions { writer.integer(Field.positions, position) }
      writer.time(Field.time, deadline)
    case .lineRemembered(let position, let droppingOldest):
      writer.integer(Field.position, position)
      if droppingOldest { writer.bool(Field.droppingOldest, true) }
    case .pushDelayCancelled(let phase): writer.integer(Field.phase, phase)
    case .pushRequested(let number, let phase, let ordinal, let message, let positions):
      writer.integer(Field.number, number)
      writer.integer(Field.phase, phase)
      writer.integer(Field.ordinal, ordinal)
      writer.text(Field.text, message)
      for position in positions { writer.integer(Field.positions, position) }
    case .pushHandedOver(let number): writer.integer(Field.number, number)
    case .erased(let state): writer.data(Field.state, state)
    case .pushTargetChanged(let target):
      if let target { writer.nested(Field.target) { target.encode(into: &$0) } }
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    // Nearly every event of a journal is a line of a conversation: it takes the short way.
    if tag == 3 {
      self = try Self.line(&payload)
      return
    }
    let fields = try ChatEventFields(&payload)
    switch tag {
    case 1:
      self = .created(
        serviceName: try fields.serviceName.required(Field.serviceName), data: fields.pairs,
        expiresAt: try fields.time.required(Field.time), userKey: fields.userKey)
    case 2: self = .started(with: try fields.start.required(Field.start))
    case 4: self = .previewTyped(text: try fields.text.required(Field.text))
    case 5: self = .dataUpdated(pairs: fields.pairs)
    case 6:
      self = .agentJoined(
        agentID: try fields.agentID.required(Field.agentID), nickname: try fields.nickname.required(Field.nickname),
        role: try PartyRole(code: fields.role.required(Field.role)).inRange(Field.role))
    case 7: self = .agentLeft(party: try fields.party.required(Field.party))
    case 8:
      self = .chatEnded(
        party: try fields.party.required(Field.party),
        cause: try ChatEndCause(code: fields.cause.required(Field.cause)).inRange(Field.cause))
    case 9: self = .expired
    case 10: self = .timeToLiveExtended(until: try fields.time.required(Field.time))
    case 11: self = .served(upTo: try fields.position.required(Field.position))
    case 12: self = .cometSubscribed(session: try fields.sessionText, activeAfter: fields.position)
    case 13: self = .cometConnected(session: try fields.sessionText, activeAfter: fields.position)
    case 14:
      self = .cometUnsubscribed(
        session: try fields.sessionText, base: fields.position, written: try fields.written.required(Field.written))
    case 15:
      self = .cometDetached(
        session: try fields.sessionText, base: fields.position, written: try fields.written.required(Field.written))
    case 16:
      self = .customerAbsent(
        session: try fields.sessionText, position: try fields.position.required(Field.position),
        written: try fields.written.required(Field.written),
        cause: try AbsenceCause(code: fields.cause.required(Field.cause)).inRange(Field.cause),
        basis: try fields.positionBasis)
    case 17: self = .customerReturned
    case 18: self = .absenceNoted(text: try fields.text.required(Field.text))
    case 19: self = .returnNoted(text: try fields.text.required(Field.text))
    case 20:
      self = .pushDelayStarted(
        phase: try fields.phase.required(Field.phase), positions: fields.positions,
        deadline: try fields.time.required(Field.time))
    case 21:
      self = .lineRemembered(
        position: try fields.position.required(Field.position), droppingOldest: fields.droppingOldest)
    case 22: self = .pushDelayCancelled(phase: try fields.phase.required(Field.phase))
    case 23:
      self = .pushRequested(
        number: try fields.number.required(Field.number), phase: try fields.phase.required(Field.phase),
        ordinal: try fields.ordinal.required(Field.ordinal), message: try fields.text.required(Field.text),
        positions: fields.positions)
    case 24: self = .pushHandedOver(number: try fields.number.required(Field.number))
    case 25:
      let state = try fields.state.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try ChatSession(stateBytes: state)
      self = .erased(state: state)
    case 26: self = .positionStated(position: try fields.position.required(Field.position))
    case 45: self = .pushTargetChanged(to: fields.target)
    default: throw .unknownTag(tag)
    }
  }

  private static func line(_ payload: inout PayloadReader) throws(PayloadError) -> ChatEvent {
    var party: Int?
    var type = TranscriptEventType.messageText
    var text = ""
    while let field = try payload.next() {
      switch field {
      case Field.party: party = try payload.ordinal(field)
      case Field.type: type = try TranscriptEventType(code: payload.unsigned()).inRange(Field.type)
      case Field.text: text = try payload.text()
      default: try payload.skip()
      }
    }
    return .linePosted(party: try party.required(Field.party), type: type, text: text)
  }
}

/// Whatever fields an event brought.
private struct ChatEventFields {
  var party: Int?
  var text: String?
  var position: Int?
  var session: String?
  var time: Timestamp?
  var phase: Int?
  var number: Int?
  var ordinal: Int?
  var positions: [Int] = []
  var written: Int?
  var cause: UInt64?
  var nickname: String?
  var role: UInt64?
  var agentID: String?
  var pairs: [DataPair] = []
  var serviceName: String?
  var start: ChatStart?
  var droppingOldest = false
  var state: [UInt8]?
  var basis: UInt64?
  var userKey: String?
  var target: PushTarget?

  init(_ payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case Field.party: party = try payload.ordinal(field)
      case Field.text: text = try payload.text()
      case Field.position: position = try payload.ordinal(field)
      case Field.session: session = try payload.text()
      case Field.time: time = try payload.time()
      case Field.phase: phase = try payload.ordinal(field)
      case Field.number: number = try payload.ordinal(field)
      case Field.ordinal: ordinal = try payload.ordinal(field)
      case Field.positions: positions.append(try payload.ordinal(field))
      case Field.written: written = try payload.ordinal(field)
      case Field.cause: cause = try payload.unsigned()
      case Field.nickname: nickname = try payload.text()
      case Field.role: role = try payload.unsigned()
      case Field.agentID: agentID = try payload.text()
      case Field.pair: pairs.append(try payload.pair())
      case Field.serviceName: serviceName = try payload.text()
      case Field.start:
        var nested = try payload.nested()
        start = try ChatStart(payload: &nested)
      case Field.droppingOldest: droppingOldest = try payload.bool()
      case Field.state: state = try payload.data()
      case Field.basis: basis = try payload.unsigned()
      case Field.userKey: userKey = try payload.text()
      case Field.target:
        var nested = try payload.nested()
        target = try PushTarget(payload: &nested)
      default: try payload.skip()
      }
    }
  }

  var sessionText: String { get throws(PayloadError) { try session.required(Field.session) } }

  var positionBasis: PositionBasis? {
    get throws(PayloadError) {
      guard let basis else { return nil }
      return try PositionBasis(code: basis).inRange(Field.basis)
    }
  }
}
