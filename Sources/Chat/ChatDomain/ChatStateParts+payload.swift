import EventSourcing

// The parts of a chat's state, each a message inside it, with frozen fields. See `ChatSession+state.swift`.

extension PayloadReader {
  /// A message inside the message, read by `initializer`.
  mutating func message<Message>(
    _ initializer: (inout PayloadReader) throws(PayloadError) -> Message
  ) throws(PayloadError) -> Message {
    var inner = try nested()
    return try initializer(&inner)
  }
}

extension ChatParty {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, ifPresent: agentID)
    writer.text(2, nickname)
    writer.unsigned(3, role.code)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var (agentID, nickname, role) = (String?.none, String?.none, UInt64?.none)
    while let field = try payload.next() {
      switch field {
      case 1: agentID = try payload.text()
      case 2: nickname = try payload.text()
      case 3: role = try payload.unsigned()
      default: try payload.skip()
      }
    }
    self.init(
      agentID: agentID, nickname: try nickname.required(2), role: try PartyRole(code: role.required(3)).inRange(3))
  }
}

extension CometLink {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, session)
    writer.bool(2, ifTrue: isSubscribed)
    writer.bool(3, ifTrue: isConnected)
    if let activeAfter { writer.integer(4, activeAfter) }
    writer.integer(5, ifNotZero: sentThrough)
    writer.integer(6, ifNotZero: caughtUpThrough)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var session: String?
    var fields = CometLink(session: "")
    while let field = try payload.next() {
      switch field {
      case 1: session = try payload.text()
      case 2: fields.isSubscribed = try payload.bool()
      case 3: fields.isConnected = try payload.bool()
      case 4: fields.activeAfter = try payload.ordinal(field)
      case 5: fields.sentThrough = try payload.ordinal(field)
      case 6: fields.caughtUpThrough = try payload.ordinal(field)
      default: try payload.skip()
      }
    }
    self.init(session: try session.required(1))
    isSubscribed = fields.isSubscribed
    isConnected = fields.isConnected
    activeAfter = fields.activeAfter
    sentThrough = fields.sentThrough
    caughtUpThrough = fields.caughtUpThrough
  }
}

/// A background phase: number 1, stage 2 (1 quiet, 2 waiting, 3 pushed), deadline 3 (waiting only), remembered
/// positions 4 (packed), pushes 5, owes the absence notice 6, basis 7 (absent: confirmed), covered
/// after 8 (absent: the larger of base and written position).
extension BackgroundPhase {
  /// - Parameter usual: where it is covered from if the state does not say so.
  func encode(into writer: inout PayloadWriter, coveredAfter usual: Int) {
    writer.integer(1, number)
    switch stage {
    case .quiet: writer.unsigned(2, 1)
    case .waiting(let deadline):
      writer.unsigned(2, 2)
      writer.time(3, deadline)
    case .pushed: writer.unsigned(2, 3)
    }
    writer.packed(4, remembered.map(UInt64.init))
    writer.integer(5, ifNotZero: pushCount)
    writer.bool(6, ifTrue: owesAbsenceNotice)
    if basis != .confirmed { writer.unsigned(7, basis.code) }
    if coveredAfter != usual { writer.integer(8, coveredAfter) }
  }

  /// - Parameter coveredAfter: what a state of an older version stands for.
  init(payload: inout PayloadReader, coveredAfter: Int) throws(PayloadError) {
    var (number, stage, deadline) = (Int?.none, UInt64?.none, Timestamp?.none)
    var fields = BackgroundPhase(
      number: 0, basis: .confirmed, coveredAfter: coveredAfter, owesAbsenceNotice: false)
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.ordinal(field)
      case 2: stage = try payload.unsigned()
      case 3: deadline = try payload.time()
      case 4: fields.remembered += try payload.ordinals(field)
      case 5: fields.pushCount = try payload.ordinal(field)
      case 6: fields.owesAbsenceNotice = try payload.bool()
      case 7: fields.basis = try PositionBasis(code: payload.unsigned()).inRange(field)
      case 8: fields.coveredAfter = try payload.ordinal(field)
      default: try payload.skip()
      }
    }
    self.init(
      number: try number.required(1), basis: fields.basis, coveredAfter: fields.coveredAfter,
      owesAbsenceNotice: fields.owesAbsenceNotice)
    switch try stage.required(2) {
    case 1: self.stage = .quiet
    case 2: self.stage = .waiting(deadline: try deadline.required(3))
    case 3: self.stage = .pushed
    default: throw .outOfRange(field: 2)
    }
    remembered = fields.remembered
    pushCount = fields.pushCount
  }
}

/// An owed push: number 1, phase 2, ordinal 3, target 4 (absent: the chat's), message 5, types of its lines 6 (packed),
/// their texts 7…, position 8.
extension ChatPush {
  /// - Parameter chatTarget: the chat's push target, which nearly always is the push's.
  func encode(into writer: inout PayloadWriter, chatTarget: PushTarget?) {
    writer.integer(1, number)
    writer.integer(2, phase)
    writer.integer(3, ordinal)
    if target != chatTarget { writer.nested(4) { target.encode(into: &$0) } }
    writer.text(5, ifNotEmpty: message)
    writer.packed(6, lastTranscript.map(\.type.code))
    for line in lastTranscript { writer.text(7, line.text) }
    writer.integer(8, ifNotZero: position)
  }
}

/// An owed push as read, before its target is known.
struct OwedPushFields {
  private var number: Int?
  private var phase: Int?
  private var ordinal: Int?
  private var target: PushTarget?
  private var message = ""
  private var types: [UInt64] = []
  private var texts: [String] = []
  private var position = 0

  init(payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.ordinal(field)
      case 2: phase = try payload.ordinal(field)
      case 3: ordinal = try payload.ordinal(field)
      case 4: target = try payload.message(PushTarget.init(payload:))
      case 5: message = try payload.text()
      case 6: types += try payload.packed()
      case 7: texts.append(try payload.text())
      case 8: position = try payload.ordinal(field)
      default: try payload.skip()
      }
    }
  }

  func push(chatTarget: PushTarget?) throws(PayloadError) -> ChatPush {
    guard types.count == texts.count else { throw .outOfRange(field: 7) }
    var lines: [PushedLine] = []
    for (type, text) in zip(types, texts) {
      lines.append(PushedLine(try TranscriptEventType(code: type).inRange(6), text))
    }
    return ChatPush(
      number: try number.required(1), phase: try phase.required(2), ordinal: try ordinal.required(3),
      target: try (target ?? chatTarget).required(4), message: message, lastTranscript: lines, position: position)
  }
}
