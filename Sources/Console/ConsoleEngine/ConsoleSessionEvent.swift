public import EventSourcing

/// What happened to a session of the console. Tags and field numbers are frozen.
public enum ConsoleSessionEvent: Sendable, Equatable, Codable {
  case opened(ConsoleSessionTerms)
  /// It was used; recorded at most every `ConsoleSession.sightInterval`.
  case seen
  case ended(ConsoleSessionEnd)
  /// As `opened`, by somebody without a token, for whom a provider has vouched.
  case openedByProvider(ConsoleSessionTerms)
}

extension ConsoleSessionEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .opened: 1
    case .seen: 2
    case .ended: 3
    case .openedByProvider: 4
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .opened(let terms), .openedByProvider(let terms): terms.encode(into: &writer)
    case .seen: break
    case .ended(let end): end.encode(into: &writer)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .opened(try ConsoleSessionTerms(payload: &payload))
    case 2: self = .seen
    case 3: self = .ended(try ConsoleSessionEnd(payload: &payload))
    case 4: self = .openedByProvider(try ConsoleSessionTerms(payload: &payload))
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
    static let person = PayloadField<ConsolePerson>(7)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.tokenID, tokenID)
    writer.put(Field.name, name)
    writer.put(Field.role, role)
    writer.put(Field.expiresAt, expiresAt)
    writer.put(Field.idleSeconds, idleSeconds)
    writer.put(Field.code, ifPresent: code)
    writer.put(Field.person, ifPresent: person)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      tokenID: try read.required(Field.tokenID), name: try read.required(Field.name),
      role: try read.required(Field.role), expiresAt: try read.required(Field.expiresAt),
      idleSeconds: try read.required(Field.idleSeconds), code: try read[Field.code], person: try read[Field.person])
  }
}

extension ConsolePerson: PayloadPart {
  private enum Field {
    static let issuer = PayloadField<String>(1)
    static let subject = PayloadField<String>(2)
    /// Once for each; absent: all.
    static let services = PayloadField<String>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.issuer, issuer)
    writer.put(Field.subject, subject)
    writer.put(each: Field.services, services ?? [])
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let services = try read.all(Field.services)
    self.init(
      issuer: try read.required(Field.issuer), subject: try read.required(Field.subject),
      services: services.isEmpty ? nil : services)
  }
}

extension ConsoleSessionEnd: PayloadPart {
  private enum Field {
    static let reason = PayloadField<Reason>(1)
    static let by = PayloadField<String>(2)
  }

  private enum Reason: UInt8, PayloadCode {
    case signedOut = 1
    case revoked, idle, expired, tokenRevoked, displaced, providerRemoved, nameTaken
  }

  private var reason: Reason {
    switch self {
    case .signedOut: .signedOut
    case .revoked: .revoked
    case .idle: .idle
    case .expired: .expired
    case .tokenRevoked: .tokenRevoked
    case .displaced: .displaced
    case .providerRemoved: .providerRemoved
    case .nameTaken: .nameTaken
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
    case .providerRemoved: self = .providerRemoved
    case .nameTaken: self = .nameTaken
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
