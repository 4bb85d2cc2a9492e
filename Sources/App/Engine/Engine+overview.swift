import EngineKit
import EntityRuntime
package import EventSourcing
package import Journal
import PushEngine

/// How the engine is at a moment: all that can be told without looking at single entities.
package struct EngineGlance: Sendable {
  package let at: Timestamp
  /// The last record on the disk; of several partitions, the sum.
  package let position: UInt64
  /// Since the start, of all partitions.
  package let commits: CommitFigures
  /// Bytes; nil if nobody knows.
  package let roomLeft: UInt64?
  /// Of several partitions, the oldest of their newest.
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
    let writers = partitions.all.compactMap(\.journal.writer)
    guard let first = writers.first, writers.count == partitions.all.count else { return nil }
    let made = partitions.all.compactMap { $0.newestSnapshot?.made }
    let pushes = couriers.counts
    return EngineGlance(
      at: partition.context.time.now, position: writers.reduce(0) { $0 + $1.durablePosition },
      commits: writers.dropFirst().reduce(first.commitFigures) { $0.together(with: $1.commitFigures) },
      roomLeft: partitions.all.compactMap(\.roomLeft).min(),
      snapshotMade: made.count == partitions.all.count ? made.min() : nil,
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
