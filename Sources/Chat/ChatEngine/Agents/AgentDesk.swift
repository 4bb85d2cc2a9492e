public import EventSourcing

/// Whether an agent takes work, and of which services.
public enum AgentReadiness: Sendable, Equatable, Encodable {
  case away
  /// In the order of their names; nil for all services.
  case ready(for: [String]?)

  public var isReady: Bool { self != .away }
}

/// What the journal remembers of an agent: whether they take chats. Entity key: the agent's id.
public struct AgentDesk: Decider, Equatable, Encodable {
  public enum Event: JournaledEvent {
    /// - Parameter services: whose callbacks a ready agent is offered; nil for all.
    case readinessChanged(Bool, services: [String]? = nil)

    /// Frozen: 1 readinessChanged.
    public var tag: EventTag { 1 }

    /// See `ReadinessPart`.
    public func encode(into writer: inout PayloadWriter) {
      switch self {
      case .readinessChanged(let isReady, let services):
        ReadinessPart(isReady: isReady, services: services).encode(into: &writer)
      }
    }

    public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
      guard tag == 1 else { throw .unknownTag(tag) }
      let part = try ReadinessPart(payload: &payload)
      self = .readinessChanged(try part.isReady.required(ReadinessPart.Field.isReady), services: part.services)
    }
  }

  public internal(set) var readiness = AgentReadiness.away

  public init() {}

  /// No event if it is so already.
  public func decide(_ command: AgentReadiness, now: Timestamp) throws(Never) -> [Event] {
    guard command != readiness else { return [] }
    switch command {
    case .away: return [.readinessChanged(false)]
    case .ready(let services): return [.readinessChanged(true, services: services)]
    }
  }

  public mutating func evolve(_ event: Event, at time: Timestamp) {
    switch event {
    case .readinessChanged(let isReady, let services): readiness = isReady ? .ready(for: services) : .away
    }
  }

  /// Whoever gives work to agents follows.
  public enum Effect: Sendable, Equatable { case readinessChanged(AgentReadiness) }

  public func react(to event: Event) -> [Effect] { [.readinessChanged(readiness)] }
  public var outstandingEffects: [Effect] { [] }
  public var isFinished: Bool { false }
}
