import EngineKit
import EntityRuntime
package import EventSourcing
package import Journal
package import JournalFormat

/// Where a running server's journal stands.
package struct JournalStatus: Sendable {
  /// The end of the last frame on the disk.
  package let point: JournalPoint
  /// The last record that was given a number; what is behind `point` waits for the disk.
  package let lastPosition: UInt64
  package let commits: CommitFigures
  package let segments: [SegmentInfo]
  /// By kind, those that have not come to their end.
  package let entities: [(kind: EntityKind, count: Int)]
  /// Where the newest snapshot begins, and when it was made.
  package let snapshot: (position: UInt64, made: Timestamp)?
  /// Bytes; nil if nobody knows.
  package let roomLeft: UInt64?
  package let isStorageFull: Bool
  package let now: Timestamp
}

extension JournalAudit {
  /// - Throws: `JournalAuditError`, `JournalError`.
  package func status() async throws -> JournalStatus {
    try requireOnlyPartition()
    guard partition.node.isReady, let writer = partition.journal.writer else { throw JournalAuditError.unavailable }
    let (partition, partitions) = (partition, partitions)
    return try await reading {
      let segments = try partition.reader.segments()
      return JournalStatus(
        point: writer.durablePoint, lastPosition: writer.lastPosition, commits: writer.commitFigures,
        segments: segments, entities: partitions.hosts.map { ($0.kind, $0.count) },
        snapshot: partition.newestSnapshot, roomLeft: partition.roomLeft, isStorageFull: partition.isStorageFull,
        now: partition.context.time.now)
    }
  }
}
