public import EventSourcing

/// The fields of all chat events. A number means the same in every event and is never used again for another.
private enum Field {
  static let party = PayloadField<Ordinal>(1)
  static let type = PayloadField<TranscriptEventType>(2)
  static let text = PayloadField<String>(3)
  static let position = PayloadField<Ordinal>(4)
  static let session = PayloadField<String>(5)
  static let time = PayloadField<Timestamp>(6)
  static let phase = PayloadField<Ordinal>(7)
  static let number = PayloadField<Ordinal>(8)
  static let ordinal = PayloadField<Ordinal>(9)
  static let positions = PayloadField<Ordinal>(10)
  static let written = PayloadField<Ordinal>(11)
  /// Why a chat ended, and why a customer is away: no event has both.
  static let endCause = PayloadField<ChatEndCause>(12)
  static let absenceCause = PayloadField<AbsenceCause>(12)
  static let nickname = PayloadField<String>(13)
  static let role = PayloadField<PartyRole>(14)
  static let agentID = PayloadField<String>(15)
  static let pair = PayloadField<NameValuePair>(16)
  static let serviceName = PayloadField<String>(17)
  static let start = PayloadField<ChatStart>(18)
  static let droppingOldest = PayloadField<Bool>(19)
  static let state = PayloadField<[UInt8]>(20)
  static let basis = PayloadField<PositionBasis>(21)
  static let userKey = PayloadField<String>(22)
  static let target = PayloadField<PushTarget>(40)
}

extension ChatEvent {
  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let serviceName, let data, let expiresAt, let userKey):
      writer.put(Field.serviceName, serviceName)
      writer.put(each: Field.pair, data)
      writer.put(Field.time, expiresAt)
      writer.put(Field.userKey, ifPresent: userKey)
    case .started(let start): writer.put(Field.start, start)
    case .linePosted(let party, let type, let text):
      writer.put(Field.party, party)
      writer.put(Field.type, type, unless: .messageText)
      writer.put(Field.text, ifNotEmpty: text)
    case .previewTyped(let text), .absenceNoted(let text), .returnNoted(let text): writer.put(Field.text, text)
    case .dataUpdated(let pairs): writer.put(each: Field.pair, pairs)
    case .agentJoined(let agentID, let nickname, let role):
      writer.put(Field.agentID, agentID)
      writer.put(Field.nickname, nickname)
      writer.put(Field.role, role)
    case .agentLeft(let party): writer.put(Field.party, party)
    case .chatEnded(let party, let cause):
      writer.put(Field.party, party)
      writer.put(Field.endCause, cause)
    case .expired, .customerReturned: break
    case .timeToLiveExtended(let deadline): writer.put(Field.time, deadline)
    case .served(let position): writer.put(Field.position, position)
    case .cometSubscribed(let session, let activeAfter), .cometConnected(let session, let activeAfter):
      writer.put(Field.session, session)
      writer.put(Field.position, ifPresent: activeAfter)
    case .cometUnsubscribed(let session, let base, let written), .cometDetached(let session, let base, let written):
      writer.put(Field.session, session)
      writer.put(Field.position, ifPresent: base)
      writer.put(Field.written, written)
    case .customerAbsent(let session, let position, let written, let cause, let basis):
      writer.put(Field.session, session)
      writer.put(Field.position, position)
      writer.put(Field.written, written)
      writer.put(Field.absenceCause, cause)
      writer.put(Field.basis, ifPresent: basis)
    case .positionStated(let position): writer.put(Field.position, position)
    case .pushDelayStarted(let phase, let positions, let deadline):
      writer.put(Field.phase, phase)
      writer.put(each: Field.positions, positions)
      writer.put(Field.time, deadline)
    case .lineRemembered(let position, let droppingOldest):
      writer.put(Field.position, position)
      writer.put(Field.droppingOldest, ifTrue: droppingOldest)
    case .pushDelayCancelled(let phase): writer.put(Field.phase, phase)
    case .pushRequested(let number, let phase, let ordinal, let message, let positions):
      writer.put(Field.number, number)
      writer.put(Field.phase, phase)
      writer.put(Field.ordinal, ordinal)
      writer.put(Field.text, message)
      writer.put(each: Field.positions, positions)
    case .pushHandedOver(let number): writer.put(Field.number, number)
    case .erased(let state): writer.put(Field.state, state)
    case .pushTargetChanged(let target): writer.put(Field.target, ifPresent: target)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    // Nearly every event of a journal is a line of a conversation: it takes the short way.
    if tag == 3 {
      self = try Self.line(&payload)
      return
    }
    let read = try PayloadFields(&payload)
    switch tag {
    case 1:
      self = .created(
        serviceName: try read.required(Field.serviceName), data: try read.all(Field.pair),
        expiresAt: try read.required(Field.time), userKey: try read[Field.userKey])
    case 2: self = .started(with: try read.required(Field.start))
    case 4: self = .previewTyped(text: try read.required(Field.text))
    case 5: self = .dataUpdated(pairs: try read.all(Field.pair))
    case 6:
      self = .agentJoined(
        agentID: try read.required(Field.agentID), nickname: try read.required(Field.nickname),
        role: try read.required(Field.role))
    case 7: self = .agentLeft(party: try read.required(Field.party))
    case 8: self = .chatEnded(party: try read.required(Field.party), cause: try read.required(Field.endCause))
    case 9: self = .expired
    case 10: self = .timeToLiveExtended(until: try read.required(Field.time))
    case 11: self = .served(upTo: try read.required(Field.position))
    case 12:
      self = .cometSubscribed(session: try read.required(Field.session), activeAfter: try read[Field.position])
    case 13:
      self = .cometConnected(session: try read.required(Field.session), activeAfter: try read[Field.position])
    case 14:
      self = .cometUnsubscribed(
        session: try read.required(Field.session), base: try read[Field.position],
        written: try read.required(Field.written))
    case 15:
      self = .cometDetached(
        session: try read.required(Field.session), base: try read[Field.position],
        written: try read.required(Field.written))
    case 16:
      self = .customerAbsent(
        session: try read.required(Field.session), position: try read.required(Field.position),
        written: try read.required(Field.written), cause: try read.required(Field.absenceCause),
        basis: try read[Field.basis])
    case 17: self = .customerReturned
    case 18: self = .absenceNoted(text: try read.required(Field.text))
    case 19: self = .returnNoted(text: try read.required(Field.text))
    case 20:
      self = .pushDelayStarted(
        phase: try read.required(Field.phase), positions: try read.all(Field.positions),
        deadline: try read.required(Field.time))
    case 21:
      self = .lineRemembered(
        position: try read.required(Field.position), droppingOldest: try read[Field.droppingOldest] ?? false)
    case 22: self = .pushDelayCancelled(phase: try read.required(Field.phase))
    case 23: self = try Self.pushRequested(read)
    case 24: self = .pushHandedOver(number: try read.required(Field.number))
    case 25: self = try Self.erased(read)
    case 26: self = .positionStated(position: try read.required(Field.position))
    case 45: self = .pushTargetChanged(to: try read[Field.target])
    default: throw .unknownTag(tag)
    }
  }

  private static func line(_ payload: inout PayloadReader) throws(PayloadError) -> ChatEvent {
    var party: Int?
    var type = TranscriptEventType.messageText
    var text = ""
    while let field = try payload.next() {
      switch field {
      case Field.party.number: party = try Ordinal.read(&payload, field)
      case Field.type.number: type = try TranscriptEventType.read(&payload, field)
      case Field.text.number: text = try String.read(&payload, field)
      default: try payload.skip()
      }
    }
    return .linePosted(party: try party.required(Field.party), type: type, text: text)
  }

  private static func pushRequested(_ read: PayloadFields) throws(PayloadError) -> ChatEvent {
    // What is wrong is told before what is missing.
    let positions = try read.all(Field.positions)
    return .pushRequested(
      number: try read.required(Field.number), phase: try read.required(Field.phase),
      ordinal: try read.required(Field.ordinal), message: try read.required(Field.text), positions: positions)
  }

  private static func erased(_ read: PayloadFields) throws(PayloadError) -> ChatEvent {
    let state = try read.required(Field.state)
    // `evolve` asks no questions, so the answer is found here.
    _ = try ChatSession(stateBytes: state)
    return .erased(state: state)
  }
}
