public import EventSourcing

/// One kind of entity, said once: all that can be said of it without a server.
///
/// The journal's tools, the timeline, erasure, the fuzzer and the simulation walk the `Catalogue` of these.
public struct EntityCard: Sendable {
  public let kind: EntityKind
  private let stateType: any (RestorableState & Encodable).Type
  private let describing: @Sendable (EventTag, UnsafeRawBufferPointer) -> (name: String, event: any Encodable)?
  private let restating: @Sendable (EventTag) -> Bool
  private let replaying: @Sendable () -> any EntityReplayer
  private let makeLane: @Sendable (SnapshotIndex?) -> ReplayLane
  /// Tells in a timeline what its events mean.
  let narrator: @Sendable () -> any Narrator
  let linking: SubjectLinking
  private let shownKey: KeyShown
  /// Members of its events and state that open something, beside those that do in every kind.
  public let secretMembers: Set<String>
  /// Whether its key alone opens it.
  public let isKeySecret: Bool

  /// How much of a key tells entities of a kind apart.
  enum KeyShown: Sendable {
    case characters(Int)
    /// Of a service id, which is the number of the node, a dash and a UUID: the number and eight of the UUID.
    case serviceID
  }

  init<State: RestorableState & Encodable>(
    _ kind: EntityKind, _ type: State.Type, narrator: @escaping @Sendable () -> any Narrator,
    linking: SubjectLinking, shownKey: KeyShown = .characters(14), secretMembers: Set<String> = [],
    isKeySecret: Bool = false
  ) {
    self.kind = kind
    stateType = type
    describing = { tag, payload in
      var reader = PayloadReader(payload)
      guard let event = try? State.Event(tag: tag, payload: &reader) else { return nil }
      return (Mirror(reflecting: event).children.first?.label ?? "\(event)", event)
    }
    restating = { State.Event.isRestatement($0) }
    replaying = { StateReplayer<State>() }
    makeLane = { ReplayLane(kind, over: $0, type) }
    self.narrator = narrator
    self.linking = linking
    self.shownKey = shownKey
    self.secretMembers = secretMembers
    self.isKeySecret = isKeySecret
  }

  /// A decoded event as something to encode, and the name of its case; nil if the tag is unknown or the payload cannot
  /// be read.
  public func describe(_ tag: EventTag, _ payload: UnsafeRawBufferPointer) -> (name: String, event: any Encodable)? {
    describing(tag, payload)
  }

  /// Whether events with this tag restate all of an entity.
  public func isRestatement(_ tag: EventTag) -> Bool { restating(tag) }

  /// An empty state, to be fed the records of one entity.
  public func replayer() -> any EntityReplayer { replaying() }

  /// What a start makes of the records of this kind.
  /// - Parameter index: what the snapshot that it goes on from holds of the kind; nil for nothing.
  func lane(over index: SnapshotIndex?) -> ReplayLane { makeLane(index) }

  /// As much of a key as tells entities apart.
  func shown(_ key: String) -> Substring {
    switch shownKey {
    case .characters(let count): key.prefix(count)
    case .serviceID: key.prefix((key.split(separator: "-").first?.count ?? 0) + 9)
    }
  }

  /// Opens the type of the state.
  public func open<Visitor: KindVisitor>(_ visitor: inout Visitor) throws {
    func visit<State: RestorableState & Encodable>(_ type: State.Type, _ visitor: inout Visitor) throws {
      try visitor.visit(self, type)
    }
    try visit(stateType, &visitor)
  }
}

/// Does something with each kind of entity for which it has to know the state's type.
public protocol KindVisitor {
  mutating func visit<State: RestorableState & Encodable>(_ card: EntityCard, _ type: State.Type) throws
}

/// How the records of a kind name customers, and each other.
enum SubjectLinking: Sendable {
  /// They name nobody who is not named by records of other kinds.
  case nobody
  case links(SubjectLinks)
}
