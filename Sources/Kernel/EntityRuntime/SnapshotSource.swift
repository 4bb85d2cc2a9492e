public import EventSourcing

/// All entities of one kind in one partition, as a snapshot wants them.
///
/// A snapshot takes one entity after the other while they go on working. What is in `keys` when it begins is captured,
/// each with its own sequence number, or noted as removed; what begins later is in the journal behind the snapshot's
/// position.
public protocol SnapshotSource: AnyObject, Sendable {
  var kind: EntityKind { get }
  /// The keys of all entities that have events and are not finished.
  var keys: [String] { get }
  /// How many entities there are, awake or asleep.
  var count: Int { get }
  /// Begins to note removals.
  func beginSnapshot()
  /// - Returns: the keys that were removed since `beginSnapshot`.
  func endSnapshot() -> [String]
  /// The entity as it is now, which may run ahead of the disk; nil if it is gone, or has no events yet.
  func capture(_ key: String) async -> CapturedEntity?
}

/// A source whose entities can sleep.
public protocol SleepingSource: SnapshotSource {
  /// Tells an entity that its state lies in a newer file too, so that the older one can be let go.
  func move(_ key: String, at sequence: UInt64, to place: StatePlace) async
  /// The keys of the entities in memory.
  var awakeKeys: [String] { get }
  var awakeCount: Int { get }
  /// See `DirectoryShard.putToSleep`.
  func putToSleep(
    _ keys: [String], unusedFor sweeps: UInt32, put: @Sendable ([EntityImage]) async throws -> [StatePlace]
  ) async throws -> Int
}

extension DirectoryShard: SleepingSource {}
