import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization

extension Partition {
  /// Moves or deletes old segments and packs those that no start needs, as the settings say.
  ///
  /// What a start from the oldest kept snapshot reads stays as it is.
  package func tidySegments() async {
    let (settings, now) = (housekeeping, context.time.now.milliseconds)
    let points = snapshotPoints.withLock { $0 }
    let vault = sealed
    await housekeeper.alone { [self] in
      do {
        if let action = settings.retention, let rule = rule(action, points) {
          if action == .delete, let point = rule.neverBeyond { try await keepTree(for: point) }
          let report = try await onThread { try SegmentRetention(vault).apply(rule, nowMilliseconds: now) }
          note(report.segments, report.failure, "\(action == .archive ? "archived" : "deleted") old segments")
        }
        // One after the other: readers and the writer share the processors with it.
        if settings.packsSegments, let position = points.first?.position {
          let report = try await onThread {
            try SegmentPacker(vault).pack(upTo: position, countMaximum: self.node.limits.packedSegmentsAtOnce)
          }
          note(report.segments, report.failure, "packed segments")
        }
      } catch {
        logger.warning("segments stay where they are", metadata: ["reason": "\(error)"])
      }
    }
  }

  private func rule(_ action: RetentionRule.Action, _ points: [JournalPoint]) -> RetentionRule? {
    let settings = housekeeping
    // Nothing is deleted before there are two snapshots: without the records, one that is damaged would be the end.
    guard action == .archive || points.count >= SnapshotStore.keptCount else { return nil }
    return RetentionRule(
      action, ageMillisecondsMaximum: settings.segmentAgeMaximum.map { $0.wholeMilliseconds },
      totalByteCountMaximum: settings.segmentBytesMaximum, neverBeyond: points.first)
  }

  private func note(_ segments: [UInt64], _ failure: JournalError?, _ what: String) {
    if let first = segments.first, let last = segments.last {
      logger.info("\(what)", metadata: ["from": "\(first)", "to": "\(last)"])
    }
    if let failure { logger.warning("\(what): not all", metadata: ["reason": "\(failure)"]) }
  }
}
