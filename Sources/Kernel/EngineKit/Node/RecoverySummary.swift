import EventSourcing
import Journal
import JournalFormat

/// What a start found in the journal.
public struct RecoverySummary: Sendable, CustomStringConvertible {
  public var records: UInt64
  /// The snapshot that it began with, by its position; nil if all records were read. Of several partitions, the sum.
  public var snapshotPosition: UInt64?
  public var segments: Int
  /// Bytes of a torn tail that were cut and kept aside.
  public var bytesCut: Int
  public var chats: Int
  public var cometSessions: Int
  public var pushQueues: Int
  public var duration: Duration

  public var description: String {
    let cut = bytesCut > 0 ? ", a torn tail of \(bytesCut) bytes cut and kept aside" : ""
    let snapshot = snapshotPosition.map { " behind the snapshot at position \($0)" } ?? ""
    return
      "recovered \(records) records\(snapshot) from \(segments) segments in \(duration.wholeMilliseconds) ms: \(chats) chats, "
      + "\(cometSessions) Comet sessions, \(pushQueues) push queues\(cut)"
  }
}

/// What a journal is opened for.
public enum RecoveryPurpose: Sendable {
  /// To serve: timers run, pushes go out, Comet sessions wait for their clients.
  case service
  /// For a tool: all state is there, and nothing happens by itself.
  case maintenance
}

extension RecoverySummary {
  package init(_ recovered: Recovered, duration: Duration) {
    let snapshots = recovered.snapshots.compactMap(\.self)
    self.init(
      records: recovered.reports.reduce(0) { $0 + $1.records },
      snapshotPosition: snapshots.isEmpty ? nil : snapshots.reduce(0) { $0 + $1.point.position },
      segments: recovered.reports.reduce(0) { $0 + $1.segments },
      bytesCut: recovered.reports.reduce(0) { $0 + $1.cutByteCount }, chats: recovered.count(of: .chatSession),
      cometSessions: recovered.count(of: .cometSession), pushQueues: recovered.count(of: .pushQueue),
      duration: duration)
  }
}
