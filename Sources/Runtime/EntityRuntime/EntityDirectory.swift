public import EventSourcing
import Synchronization

/// The live entities of one kind, by key.
public final class EntityDirectory<State: Decider>: Sendable {
  private let kind: EntityKind
  private let context: RuntimeContext
  private let interpret: Entity<State>.Interpreter
  private let entities = Mutex<[String: Entity<State>]>([:])

  public init(kind: EntityKind, context: RuntimeContext, interpret: @escaping Entity<State>.Interpreter) {
    self.kind = kind
    self.context = context
    self.interpret = interpret
  }

  public var count: Int { entities.withLock { $0.count } }
  public var all: [Entity<State>] { entities.withLock { Array($0.values) } }

  /// The entity under `key`, or nil.
  public subscript(key: String) -> Entity<State>? { entities.withLock { $0[key] } }

  /// The entity under `key`, made if there is none; nil once `limit` of them exist.
  public func entity(_ key: String, limit: Int = .max) -> Entity<State>? {
    entities.withLock { entities in
      if let entity = entities[key] { return entity }
      guard entities.count < limit else { return nil }
      let entity = Entity<State>(id: EntityID(kind, key), context: context, interpret: interpret)
      entities[key] = entity
      return entity
    }
  }

  /// Takes over what replay made.
  public func restore(_ recovered: [RecoveredEntity<State>]) {
    entities.withLock { entities in
      entities.reserveCapacity(recovered.count)
      for one in recovered {
        entities[one.key] = Entity(
          id: EntityID(kind, one.key), state: one.state, sequence: one.sequence, context: context,
          interpret: interpret)
      }
    }
  }

  /// Forgets a finished entity, or one whose first command was refused.
  public func remove(_ key: String) { entities.withLock { _ = $0.removeValue(forKey: key) } }
}
