import EntityRuntime
import EventSourcing
package import Journal
import JournalFormat
import Logging

/// Keeps the index of records, part by part, beside the service and never in its way.
struct RecordIndexing {
  private let partition: Partition
  private var limits: EngineLimits { partition.node.limits }
  /// Records up to here were on the disk when nothing was left to do.
  private var lookedTo: UInt64 = 0
  /// The last record of the newest part that was made.
  private var knownTo: UInt64 = 0
  /// The last record a second ago.
  private var lastPosition: UInt64 = 0
  private var secondsSinceLook = 0
  private var hasLooked = false
  private var hasRemoved = false

  init(_ partition: Partition) { self.partition = partition }

  /// To be called each second.
  mutating func tick(isFull: Bool) async {
    guard let index = partition.recordIndex else { return await removeOnce() }
    secondsSinceLook += 1
    guard !isFull, let position = partition.journal.writer?.durablePoint.position else { return }
    let isQuiet = position - lastPosition <= limits.quietRecordsBySecond
    lastPosition = position
    guard isDue(at: position) || index.hasDoubts else { return }
    guard isQuiet || position - knownTo > limits.unindexedRecordsMaximum else { return }
    (secondsSinceLook, hasLooked) = (0, true)
    do {
      for _ in 0..<(isQuiet ? limits.indexPartsAtOnce : 1) {
        guard partition.node.isReady else { return }
        let progress = try await partition.extendIndex(upTo: position)
        knownTo = max(knownTo, progress.knownTo)
        guard progress.hasMore else {
          // What it lacks of the newest segment is not worth a part.
          (lookedTo, knownTo) = (position, position)
          return
        }
      }
    } catch {
      (lookedTo, knownTo) = (position, position)
      partition.logger.warning("the index of records is not complete", metadata: ["reason": "\(error)"])
    }
  }

  private func isDue(at position: UInt64) -> Bool {
    !hasLooked || position >= lookedTo + limits.indexedRecordsMinimum || secondsSinceLook >= limits.indexLookSeconds
  }

  /// What an earlier start has left, that had it on.
  private mutating func removeOnce() async {
    guard !hasRemoved else { return }
    hasRemoved = true
    let index = RecordIndex(
      directory: partition.journalDirectory, archive: partition.configuration.archiveDirectory,
      storage: partition.node.environment.storage)
    do {
      try await partition.onThread { try index.removeAll() }
    } catch {
      partition.logger.warning("the index of records is not removed", metadata: ["reason": "\(error)"])
    }
  }
}

extension Partition {
  /// Makes the next part of the index of records, if there is one to make.
  ///
  /// - Parameter position: of the last record on the disk.
  /// - Throws: `JournalError`.
  package func extendIndex(upTo position: UInt64) async throws -> RecordIndex.Progress {
    guard let recordIndex else { return RecordIndex.Progress() }
    let (terms, minimum) = (SubjectTerm.hashes(in: catalogue), node.limits.indexedRecordsMinimum)
    // Nobody erases meanwhile: what is erased must not come into it again.
    let progress = try await housekeeper.alone { [self] in
      try await onThread { [node] in
        try recordIndex.extend(
          upTo: position, recordsMinimum: minimum, isWanted: { node.isReady }, terms: terms)
      }
    }
    metrics.indexed(segmentsBehind: progress.segmentsBehind)
    return progress
  }
}
