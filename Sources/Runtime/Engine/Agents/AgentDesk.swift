public import EventSourcing

/// What the journal remembers of an agent: whether they take chats. Entity key: the agent's id.
public struct AgentDesk: Decider, Equatable, Encodable {
  public enum Event: JournaledEvent {
    case readinessChanged(Bool)

    /// Frozen: 1 readinessChanged.
    public var tag: EventTag { 1 }

    public func encode(into writer: inout PayloadWriter) {
      switch self {
      case .readinessChanged(let isReady): writer.bool(1, isReady)
      }
    }

    public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
      guard tag == 1 else { throw .unknownTag(tag) }
      var isReady: Bool?
      while let field = try payload.next() {
        if field == 1 { isReady = try payload.bool() } else { try payload.skip() }
      }
      guard let isReady else { throw .missingField(1) }
      self = .readinessChanged(isReady)
    }
  }

  public internal(set) var isReady = false

  public init() {}

  /// - Parameter command: whether the agent is ready; no event if they are already.
  public func decide(_ command: Bool, now: Timestamp) throws(Never) -> [Event] {
    command == isReady ? [] : [.readinessChanged(command)]
  }

  public mutating func evolve(_ event: Event, at time: Timestamp) {
    switch event {
    case .readinessChanged(let isReady): self.isReady = isReady
    }
  }

  /// Whoever gives work to agents follows.
  public enum Effect: Sendable, Equatable { case readinessChanged(Bool) }

  public func react(to event: Event) -> [Effect] {
    switch event {
    case .readinessChanged(let isReady): [.readinessChanged(isReady)]
    }
  }
  public var outstandingEffects: [Effect] { [] }
  public var isFinished: Bool { false }
}
