import EngineKit
import EntityRuntime
package import EventSourcing
package import Journal
import PushEngine

/// How the engine is at a moment: all that can be told without looking at single entities.
package struct EngineGlance: Sendable {
  package let at: Timestamp
  /// The last record on the disk.
  package let position: UInt64
  /// Since the start.
  package let commits: CommitFigures
  /// Bytes; nil if nobody knows.
  package let roomLeft: UInt64?
  package let snapshotMade: Timestamp?
  /// Those that have not come to their end, by kind.
  package let entities: [(kind: EntityKind, count: Int)]
  package let devicesWaiting: Int
  package let lanesOpen: Int
  package let deadLetters: Int
}

extension Engine {
  /// Nil while the journal is not open.
  package func glance() -> EngineGlance? {
    guard let writer = partition.journal.writer else { return nil }
    let pushes = couriers.counts
    return EngineGlance(
      at: partition.context.time.now, position: writer.durablePosition, commits: writer.commitFigures,
      roomLeft: partition.roomLeft, snapshotMade: partition.newestSnapshot?.made,
      entities: partitions.hosts.map { ($0.kind, $0.count) }, devicesWaiting: pushes.devicesWaiting,
      lanesOpen: pushes.lanesOpen, deadLetters: pushes.deadLetters)
  }

  /// Runs `action` once, by the node's clock.
  package func after(milliseconds: Int64, _ action: @escaping @Sendable () -> Void) {
    _ = node.timers.schedule(afterMilliseconds: milliseconds, action)
  }

  /// Milliseconds of a clock that nobody sets.
  package var monotonicMilliseconds: Int64 { partition.context.time.monotonicMilliseconds }
}
