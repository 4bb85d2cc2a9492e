public import EventSourcing

/// The entities of one kind, by key, in whichever partition they lie.
///
/// Where a key lies is a pure function of it; each partition's entities are a shard of their own, with the partition's
/// journal, snapshots and sleep.
public final class EntityDirectory<State: RestorableState>: Sendable {
  /// What the directories beside this one need to find the entity while it sleeps; read from its state.
  public typealias Note = @Sendable (borrowing State) -> [UInt8]
  /// The number of the partition that a key lies in.
  public typealias Place = @Sendable (_ key: String) -> Int

  public let kind: EntityKind
  /// By the number of the partition.
  public let shards: [DirectoryShard<State>]
  private let place: Place

  /// To be bound before its first entity.
  /// - Parameter contexts: of the partitions, at least one.
  public init(kind: EntityKind, contexts: [RuntimeContext], place: @escaping Place) {
    self.kind = kind
    shards = contexts.map { DirectoryShard(kind: kind, context: $0) }
    self.place = place
  }

  /// Of one partition.
  public convenience init(kind: EntityKind, context: RuntimeContext) {
    self.init(kind: kind, contexts: [context]) { _ in 0 }
  }

  /// Says, once, who carries out what its entities want, and what is noted of those that sleep.
  public func bind(note: @escaping Note, _ interpret: @escaping Entity<State>.Interpreter) {
    for shard in shards { shard.bind(note: note, interpret) }
  }

  /// Where `key` lies.
  public func shard(of key: String) -> DirectoryShard<State> { shards.count == 1 ? shards[0] : shards[place(key)] }

  /// All of them, those that sleep too.
  public var count: Int { shards.reduce(0) { $0 + $1.count } }
  /// Those in memory.
  public var awakeCount: Int { shards.reduce(0) { $0 + $1.awakeCount } }
  /// The keys of all entities; of those that sleep in the order in which they lie in their files.
  public var keys: [String] { shards.count == 1 ? shards[0].keys : shards.flatMap(\.keys) }
  public var awakeKeys: [String] { shards.count == 1 ? shards[0].awakeKeys : shards.flatMap(\.awakeKeys).sorted() }
  /// The entities in memory.
  public var awake: [Entity<State>] { shards.count == 1 ? shards[0].awake : shards.flatMap(\.awake) }

  /// The entity under `key`, or nil. One that sleeps wakes up: its state is read by the first that asks for it.
  public subscript(key: String) -> Entity<State>? { shard(of: key)[key] }

  /// Whether there is an entity under `key`, awake or asleep.
  public func contains(_ key: String) -> Bool { shard(of: key).contains(key) }

  /// The entity under `key`, made if there is none; nil once `limit` of them exist, in all partitions. Where there are
  /// several, those who make one at the same moment may go beyond it, each by one.
  public func entity(_ key: String, limit: Int = .max) -> Entity<State>? {
    let shard = shard(of: key)
    guard shards.count > 1, limit < .max else { return shard.entity(key, limit: limit) }
    return shard[key] ?? (count < limit ? shard.entity(key) : nil)
  }

  /// Forgets a finished entity, or one whose first command was refused.
  public func remove(_ key: String) { shard(of: key).remove(key) }

  /// See `DirectoryShard.place`.
  public func place(ofSleeping key: String) -> StatePlace? { shard(of: key).place(ofSleeping: key) }

  /// See `DirectoryShard.peek`.
  public func peek<Value: Sendable>(
    _ key: String, isUse: Bool = true, _ body: @Sendable (borrowing State) -> Value
  ) async -> Value? {
    await shard(of: key).peek(key, isUse: isUse, body)
  }
}
