public import EventSourcing

// The parts of a chat's state, each a message inside it, with frozen fields. See `ChatSession+state.swift`.

extension ChatParty: PayloadPart {
  private enum Field {
    static let agentID = PayloadField<String>(1)
    static let nickname = PayloadField<String>(2)
    static let role = PayloadField<PartyRole>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.agentID, ifPresent: agentID)
    writer.put(Field.nickname, nickname)
    writer.put(Field.role, role)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      agentID: try read[Field.agentID], nickname: try read.required(Field.nickname),
      role: try read.required(Field.role))
  }
}

extension CometLink: PayloadPart {
  private enum Field {
    static let session = PayloadField<String>(1)
    static let isSubscribed = PayloadField<Bool>(2)
    static let isConnected = PayloadField<Bool>(3)
    static let activeAfter = PayloadField<Ordinal>(4)
    static let sentThrough = PayloadField<Ordinal>(5)
    static let caughtUpThrough = PayloadField<Ordinal>(6)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.session, session)
    writer.put(Field.isSubscribed, ifTrue: isSubscribed)
    writer.put(Field.isConnected, ifTrue: isConnected)
    writer.put(Field.activeAfter, ifPresent: activeAfter)
    writer.put(Field.sentThrough, sentThrough, unless: 0)
    writer.put(Field.caughtUpThrough, caughtUpThrough, unless: 0)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(session: try read.required(Field.session))
    isSubscribed = try read[Field.isSubscribed] ?? false
    isConnected = try read[Field.isConnected] ?? false
    activeAfter = try read[Field.activeAfter]
    sentThrough = try read[Field.sentThrough] ?? 0
    caughtUpThrough = try read[Field.caughtUpThrough] ?? 0
  }
}

extension BackgroundPhase {
  private enum Field {
    static let number = PayloadField<Ordinal>(1)
    static let stage = PayloadField<StageCode>(2)
    /// Of the stage `waiting`.
    static let deadline = PayloadField<Timestamp>(3)
    static let remembered = PayloadField<Packed<Ordinal>>(4)
    static let pushCount = PayloadField<Ordinal>(5)
    static let owesAbsenceNotice = PayloadField<Bool>(6)
    /// Absent: confirmed.
    static let basis = PayloadField<PositionBasis>(7)
    /// Absent: the larger of the chat's base and written position.
    static let coveredAfter = PayloadField<Ordinal>(8)
  }

  private enum StageCode: UInt8, PayloadCode {
    case quiet = 1
    case waiting = 2
    case pushed = 3
  }

  /// - Parameter usual: where it is covered from if the state does not say so.
  func encode(into writer: inout PayloadWriter, coveredAfter usual: Int) {
    writer.put(Field.number, number)
    switch stage {
    case .quiet: writer.put(Field.stage, .quiet)
    case .waiting(let deadline):
      writer.put(Field.stage, .waiting)
      writer.put(Field.deadline, deadline)
    case .pushed: writer.put(Field.stage, .pushed)
    }
    writer.put(Field.remembered, remembered)
    writer.put(Field.pushCount, pushCount, unless: 0)
    writer.put(Field.owesAbsenceNotice, ifTrue: owesAbsenceNotice)
    writer.put(Field.basis, basis, unless: .confirmed)
    writer.put(Field.coveredAfter, coveredAfter, unless: usual)
  }

  /// - Parameter usual: what a state that does not say where it is covered from stands for.
  init(payload: inout PayloadReader, coveredAfter usual: Int) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      number: try read.required(Field.number), basis: try read[Field.basis] ?? .confirmed,
      coveredAfter: try read[Field.coveredAfter] ?? usual,
      owesAbsenceNotice: try read[Field.owesAbsenceNotice] ?? false)
    switch try read.required(Field.stage) {
    case .quiet: stage = .quiet
    case .waiting: stage = .waiting(deadline: try read.required(Field.deadline))
    case .pushed: stage = .pushed
    }
    remembered = try read.all(Field.remembered)
    pushCount = try read[Field.pushCount] ?? 0
  }
}

/// A push as the chat owes it.
extension ChatPush {
  private enum Field {
    static let number = PayloadField<Ordinal>(1)
    static let phase = PayloadField<Ordinal>(2)
    static let ordinal = PayloadField<Ordinal>(3)
    /// Absent: the chat's.
    static let target = PayloadField<PushTarget>(4)
    static let message = PayloadField<String>(5)
    /// Of its lines; as many as there are texts.
    static let types = PayloadField<Packed<TranscriptEventType>>(6)
    static let texts = PayloadField<String>(7)
    static let position = PayloadField<Ordinal>(8)
  }

  /// - Parameter chatTarget: the chat's push target, which nearly always is the push's.
  func encode(into writer: inout PayloadWriter, chatTarget: PushTarget?) {
    writer.put(Field.number, number)
    writer.put(Field.phase, phase)
    writer.put(Field.ordinal, ordinal)
    if target != chatTarget { writer.put(Field.target, target) }
    writer.put(Field.message, ifNotEmpty: message)
    writer.put(Field.types, lastTranscript.map(\.type))
    writer.put(each: Field.texts, lastTranscript.lazy.map(\.text))
    writer.put(Field.position, position, unless: 0)
  }

  init(payload: inout PayloadReader, chatTarget: PushTarget?) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let types = try read.all(Field.types)
    let texts = try read.all(Field.texts)
    guard types.count == texts.count else { throw .outOfRange(field: Field.texts.number) }
    self.init(
      number: try read.required(Field.number), phase: try read.required(Field.phase),
      ordinal: try read.required(Field.ordinal),
      target: try (read[Field.target] ?? chatTarget).required(Field.target),
      message: try read[Field.message] ?? "", lastTranscript: zip(types, texts).map { PushedLine($0, $1) },
      position: try read[Field.position] ?? 0)
  }
}
