import EntityRuntime
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
  private let makeReplay: @Sendable (SnapshotIndex?, [ReplayShare]) -> KindReplay
  /// Tells in a timeline what its events mean.
  package let narrator: @Sendable () -> any Narrator
  /// How its records name customers, and each other; nil if they name nobody who is not named by those of others.
  package let links: SubjectLinks?
  /// In the plan of an erasure, the list of those that are a customer's; frozen. Nil if none ever is.
  let erasureList: String?
  /// As the other, of those that are nobody else's.
  let ownList: String?
  let producing: Producing
  /// What its queue of messages is called before its key; nil if it has none of its own.
  let mailbox: String?
  /// Kinds whose entity with the same key has the same story.
  package let tellsAlso: Set<EntityKind>
  /// In which partition its entities lie.
  let lying: Lying
  private let shownKey: KeyShown
  /// Members of its events and state that open something, beside those that do in every kind.
  public let secretMembers: Set<String>
  /// Whether its key alone opens it.
  public let isKeySecret: Bool

  /// Whether a record tells of the message with this id; nil for kinds that know of none.
  package let tellsOfMessage: MessageTelling?

  /// - Parameter message: an id as senders, devices and couriers were told it.
  package typealias MessageTelling =
    @Sendable (
      _ key: String, EventTag, _ payload: UnsafeRawBufferPointer, _ message: String
    ) -> Bool

  /// How much of a key tells entities of a kind apart.
  package enum KeyShown: Sendable {
    case characters(Int)
    /// Of a service id, which is the number of the node, a dash and a UUID: the number and eight of the UUID.
    case serviceID
  }

  /// By what name an entity is the producer of what lies in queues.
  package enum Producing: Sendable, Equatable {
    case nothing
    case key
    case prefixed(String)
    /// Of any name that begins with its key and a slash.
    case keyAndSlash

    /// The more a name says, the earlier it is asked for.
    var rank: Int {
      switch self {
      case .prefixed: 0
      case .keyAndSlash: 1
      case .key: 2
      case .nothing: 3
      }
    }
  }

  package init<State: RestorableState & Encodable>(
    _ kind: EntityKind, _ type: State.Type, narrator: @escaping @Sendable () -> any Narrator,
    links: SubjectLinks? = nil, erasureList: String? = nil, ownList: String? = nil, producing: Producing = .nothing,
    mailbox: String? = nil, tellsAlso: Set<EntityKind> = [], lying: Lying = .byKey,
    shownKey: KeyShown = .characters(14), secretMembers: Set<String> = [], isKeySecret: Bool = false,
    tellsOfMessage: MessageTelling? = nil
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
    makeReplay = { KindReplay(kind, over: $0, $1, type) }
    self.narrator = narrator
    self.links = links
    self.erasureList = erasureList
    self.ownList = ownList
    self.producing = producing
    self.mailbox = mailbox
    self.tellsAlso = tellsAlso
    self.lying = lying
    self.shownKey = shownKey
    self.secretMembers = secretMembers
    self.isKeySecret = isKeySecret
    self.tellsOfMessage = tellsOfMessage
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
  /// - Parameters:
  ///   - index: what the snapshot that it goes on from holds of the kind; nil for nothing.
  ///   - shares: one with a snapshot, which is read by one thread.
  func replay(over index: SnapshotIndex?, _ shares: [ReplayShare]) -> KindReplay { makeReplay(index, shares) }

  /// By what name an entity pushes; nil if it pushes nothing, or under several.
  func producer(of key: String) -> String? {
    switch producing {
    case .nothing, .keyAndSlash: nil
    case .key: key
    case .prefixed(let prefix): prefix + key
    }
  }

  /// Which entity a producer would be; nil if none of this kind.
  func entity(producing producer: String) -> EntityID? {
    switch producing {
    case .nothing: nil
    case .key: EntityID(kind, producer)
    case .prefixed(let prefix):
      producer.hasPrefix(prefix) ? EntityID(kind, String(producer.dropFirst(prefix.count))) : nil
    case .keyAndSlash: producer.firstIndex(of: "/").map { EntityID(kind, String(producer[..<$0])) }
    }
  }

  /// As much of a key as tells entities apart.
  package func shown(_ key: String) -> Substring {
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
