public import EventSourcing

/// What happened to a session of the console. Tags and field numbers are frozen.
public enum ConsoleSessionEvent: Sendable, Equatable, Codable {
  case opened(ConsoleSessionTerms)
  /// It was used; recorded at most every `ConsoleSession.sightInterval`.
  case seen
  case ended(ConsoleSessionEnd)
}

extension ConsoleSessionEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .opened: 1
    case .seen: 2
    case .ended: 3
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .opened(let terms): terms.encode(into: &writer)
    case .seen: break
    case .ended(let end): end.encode(into: &writer)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .opened(try ConsoleSessionTerms(payload: &payload))
    case 2: self = .seen
    case 3: self = .ended(try ConsoleSessionEnd(payload: &payload))
    default: throw .unknownTag(tag)
    }
  }
}

extension ConsoleSessionTerms: PayloadPart {
  private enum Field {
    static let tokenID = PayloadField<String>(1)
    static let name = PayloadField<String>(2)
    static let role = PayloadField<String>(3)
    static let expiresAt = PayloadField<Timestamp>(4)
    static let idleSeconds = PayloadField<Ordinal>(5)
    static let code = PayloadField<String>(6)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.tokenID, tokenID)
    writer.put(Field.name, name)
    writer.put(Field.role, role)
    writer.put(Field.expiresAt, expiresAt)
    writer.put(Field.idleSeconds, idleSeconds)
    writer.put(Field.code, ifPresent: code)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      tokenID: try read.required(Field.tokenID), name: try read.required(Field.name),
      role: try read.required(Field.role), expiresAt: try read.required(Field.expiresAt),
      idleSeconds: try read.required(Field.idleSeconds), code: try read[Field.code])
  }
}

extension ConsoleSessionEnd: PayloadPart {
  private enum Field {
    static let reason = PayloadField<Reason>(1)
    static let by = PayloadField<String>(2)
  }

  private enum Reason: UInt8, PayloadCode {
    case signedOut = 1
    case revoked, idle, expired, tokenRevoked, displaced
  }

  private var reason: Reason {
    switch self {
    case .signedOut: .signedOut
    case .revoked: .revoked
    case .idle: .idle
    case .expired: .expired
    case .tokenRevoked: .tokenRevoked
    case .displaced: .displaced
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.reason, reason)
    if case .revoked(let by) = self { writer.put(Field.by, by) }
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch try read.required(Field.reason) {
    case .signedOut: self = .signedOut
    case .revoked: self = .revoked(by: try read.required(Field.by))
    case .idle: self = .idle
    case .expired: self = .expired
    case .tokenRevoked: self = .tokenRevoked
    case .displaced: self = .displaced
    }
  }
}

/// The state of a session as snapshots hold it. Field numbers are frozen.
extension ConsoleSession: RestorableState {
  private enum Field {
    /// Absent: none, or over.
    static let terms = PayloadField<ConsoleSessionTerms>(1)
    static let openedAt = PayloadField<Timestamp>(2)
    static let seenAt = PayloadField<Timestamp>(3)
    static let isFinished = PayloadField<Bool>(4)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.terms, ifPresent: terms)
    writer.put(Field.openedAt, openedAt)
    writer.put(Field.seenAt, seenAt)
    writer.put(Field.isFinished, ifTrue: isFinished)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    isFinished = try read[Field.isFinished] ?? false
    terms = try read[Field.terms]
    openedAt = try read[Field.openedAt] ?? .epoch
    seenAt = try read[Field.seenAt] ?? openedAt
  }
}
