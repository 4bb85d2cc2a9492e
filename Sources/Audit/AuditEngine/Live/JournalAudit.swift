package import EngineKit
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Synchronization

/// Why the journal of a running server does not answer.
package enum JournalAuditError: Error, Equatable, Sendable {
  /// The journal is not open.
  case unavailable
  /// So many are reading it already.
  case busy
  /// There is no record of what was asked for.
  case nothingFound
  /// The answer would take longer than a server may be kept busy with it.
  case tooLong(seconds: Int)
  case history(EntityHistoryError)
  /// The server has so many journals, and was asked of one.
  case severalPartitions(Int)
}

/// The journal of a running server as operators may read it, beside its writer: as far as it is on the disk, on threads of
/// their own, and never for long.
package final class JournalAudit: Sendable {
  let partitions: Partitions
  var partition: Partition { partitions.all[0] }
  let searches: TimelineSearches
  let verifications = VerificationBoard()
  private let readers = Atomic<Int>(0)
  let followers = Atomic<Int>(0)

  package init(_ partitions: Partitions) {
    self.partitions = partitions
    searches = TimelineSearches(partitions.node.limits)
  }

  package var catalogue: Catalogue { partition.catalogue }
  var limits: EngineLimits { partition.node.limits }

  /// The last record that is on the disk, of the only partition. - Throws: `unavailable`, `severalPartitions`.
  func head() throws(JournalAuditError) -> UInt64 {
    try requireOnlyPartition()
    return try head(of: partition)
  }

  /// - Throws: `severalPartitions`.
  func requireOnlyPartition() throws(JournalAuditError) {
    guard partition.isAlone else { throw .severalPartitions(partitions.all.count) }
  }

  /// The last record of a partition that is on the disk. - Throws: `unavailable`.
  func head(of partition: Partition) throws(JournalAuditError) -> UInt64 {
    guard partition.node.isReady, let writer = partition.journal.writer else { throw .unavailable }
    return writer.durablePoint.position
  }

  /// Runs `body`, which reads, on a thread of its own.
  /// - Throws: `busy`, or what `body` throws.
  func reading<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    guard readers.add(1, ordering: .relaxed).newValue <= limits.journalReadersMaximum else {
      readers.subtract(1, ordering: .relaxed)
      throw JournalAuditError.busy
    }
    defer { readers.subtract(1, ordering: .relaxed) }
    return try await partition.onThread(body)
  }
}

/// When a reader has read for long enough. Looks at the clock now and then only.
struct ReadingTime {
  private let end: ContinuousClock.Instant
  private var untilLook = 1
  private static let lookInterval = 1_024

  init(milliseconds: Int64) { end = .now + .milliseconds(milliseconds) }

  /// To be asked for each record.
  mutating func isOver() -> Bool {
    untilLook -= 1
    guard untilLook <= 0 else { return false }
    untilLook = Self.lookInterval
    return ContinuousClock.now >= end
  }
}
