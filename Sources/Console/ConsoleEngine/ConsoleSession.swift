public import EventSourcing

/// Somebody who is signed in to the console with a browser, from signing in until the end. Its key is the hash of the
/// secret that the browser's cookie holds.
///
/// ```
///   open ─> open ──see──> open ─┬─ signs out, is revoked, idle, too old, token gone, gives way ──> finished
/// ```
/// What it may do says its token, at each request; the session only says which one it acts as. Whoever was signed in by an
/// OpenID provider has no token: what they may do stands in the session, as the provider said it then.
public struct ConsoleSession: Decider, Codable, Equatable {
  public typealias Command = ConsoleSessionCommand
  public typealias Event = ConsoleSessionEvent
  public typealias Rejection = ConsoleSessionRejection
  public typealias Effect = ConsoleSessionEffect

  /// Between two records of its being used: as much of its idle life a crash may cost it.
  public static let sightInterval = Duration.seconds(300)

  /// Nil before it is opened, and once it is over.
  public internal(set) var terms: ConsoleSessionTerms?
  public internal(set) var openedAt = Timestamp.epoch
  /// When it was used last, as far as the journal knows.
  public internal(set) var seenAt = Timestamp.epoch
  public internal(set) var isFinished = false

  public init() {}

  public func decide(_ command: ConsoleSessionCommand, now: Timestamp) throws(ConsoleSessionRejection)
    -> [ConsoleSessionEvent]
  {
    if case .open(let fresh) = command {
      guard terms == nil, !isFinished else { return [] }
      return [fresh.person == nil ? .opened(fresh) : .openedByProvider(fresh)]
    }
    guard let terms else {
      if case .end = command { throw .unknown }
      return []
    }
    switch command {
    case .open: return []
    case .see: return seenAt.advanced(by: Self.sightInterval) <= now ? [.seen] : []
    case .end(let reason): return [.ended(reason)]
    case .expire(let lastUse):
      if terms.expiresAt <= now { return [.ended(.expired)] }
      return terms.idleEnd(after: max(seenAt, lastUse)) <= now ? [.ended(.idle)] : []
    }
  }

  public mutating func evolve(_ event: ConsoleSessionEvent, at time: Timestamp) {
    switch event {
    case .opened(let fresh), .openedByProvider(let fresh):
      terms = fresh
      openedAt = time
      seenAt = time
    case .seen: seenAt = max(seenAt, time)
    case .ended:
      terms = nil
      isFinished = true
    }
  }

  public func react(to event: ConsoleSessionEvent) -> [ConsoleSessionEffect] {
    switch event {
    case .opened(let fresh), .openedByProvider(let fresh): [.opened, .setAlarm(fresh.end(after: seenAt))]
    case .seen: []
    case .ended: [.forget]
    }
  }

  public var outstandingEffects: [ConsoleSessionEffect] { terms.map { [.setAlarm($0.end(after: seenAt))] } ?? [] }
  public var rest: Rest { .asleep(until: terms?.end(after: seenAt)) }
}

/// Whose a session is and how long it may last.
public struct ConsoleSessionTerms: Sendable, Equatable, Codable {
  /// Of the token that it acts as; of a person: what follows from who they are, and is no token's.
  public let tokenID: String
  /// The token's name and role when it was opened: what the journal tells. What counts is what the token says now. A
  /// person's name and role are these.
  public let name: String
  public let role: String
  /// However much it is used.
  public let expiresAt: Timestamp
  /// Without being used.
  public let idleSeconds: Int
  /// The hash of the code of the one-time link that opened it; nil if a token did.
  public let code: String?
  /// Who was signed in by a provider; nil for whoever has a token.
  public let person: ConsolePerson?

  public init(
    tokenID: String, name: String, role: String, expiresAt: Timestamp, idleSeconds: Int, code: String? = nil,
    person: ConsolePerson? = nil
  ) {
    self.tokenID = tokenID
    self.name = name
    self.role = role
    self.expiresAt = expiresAt
    self.idleSeconds = idleSeconds
    self.code = code
    self.person = person
  }

  func idleEnd(after lastUse: Timestamp) -> Timestamp { lastUse.advanced(by: .seconds(idleSeconds)) }

  /// When it ends unless it is used meanwhile.
  func end(after lastUse: Timestamp) -> Timestamp { min(expiresAt, idleEnd(after: lastUse)) }
}

/// Somebody whom an OpenID provider has vouched for. Spec: OpenID Connect Core 1.0, 2.
public struct ConsolePerson: Sendable, Equatable, Codable {
  /// The provider, as it calls itself (`iss`).
  public let issuer: String
  /// Who they are there, for ever (`sub`).
  public let subject: String
  /// That they have to do with; nil for all.
  public let services: [String]?

  public init(issuer: String, subject: String, services: [String]? = nil) {
    self.issuer = issuer
    self.subject = subject
    self.services = services
  }
}

/// Why a session came to its end.
public enum ConsoleSessionEnd: Sendable, Equatable, Codable {
  case signedOut
  /// By the holder of this token: the same, or an operator.
  case revoked(by: String)
  /// Nobody used it for so long.
  case idle
  /// However much it was used.
  case expired
  /// Its token opens nothing any more.
  case tokenRevoked
  /// Its holder has signed in so often that the one that was used least lately gives way.
  case displaced
  /// The provider that vouched for its holder may sign nobody in any more.
  case providerRemoved
  /// A token has the name by which a provider had signed its holder in.
  case nameTaken
}

public enum ConsoleSessionCommand: Sendable, Equatable {
  case open(ConsoleSessionTerms)
  /// It has been used.
  case see
  case end(ConsoleSessionEnd)
  /// Its time may have come. - Parameter lastUse: when it was used last, as far as the process knows.
  case expire(lastUse: Timestamp)
}

public enum ConsoleSessionRejection: Error, Equatable {
  /// There is none, or none any more.
  case unknown
}

public enum ConsoleSessionEffect: Sendable, Equatable {
  /// The index has to follow.
  case opened
  /// `expire` is to follow then.
  case setAlarm(Timestamp)
  case forget
}
