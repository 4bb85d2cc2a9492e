import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization

extension Partition {
  /// Snapshots, sleep and the archive, each at its time, until the surrounding task is cancelled.
  func keepHouse() async {
    let settings = housekeeping
    var (wasFull, wasOverdue) = (false, false)
    var indexing = RecordIndexing(self)
    var (sinceSweep, sinceSnapshot, sinceArchive) = (Duration.zero, Duration.zero, Duration.zero)
    let tick = Duration.seconds(1)
    // Four looks in the time after which an entity counts as idle: none stays more than a quarter of it longer.
    let sweepInterval = settings.sleepAfter.map { $0 / 4 }
    while (try? await Task.sleep(for: tick)) != nil {
      guard node.isReady else { continue }
      let isFull = isStorageFull
      if isFull != wasFull {
        wasFull = isFull
        metrics.storage(isFull: isFull)
        logger.log(level: isFull ? .error : .notice, isFull ? "the disk is full: make room" : "the disk has room again")
      }
      noteStandby(&wasOverdue)
      await indexing.tick(isFull: isFull)
      sinceSweep += tick
      sinceSnapshot += tick
      sinceArchive += tick
      if let sweepInterval, sinceSweep >= sweepInterval {
        sinceSweep = .zero
        await putIdleToSleep(unusedFor: 3)
        metrics.slept(awake: shelves.reduce(0) { $0 + $1.awakeCount }, spillBytes: spill.byteCount)
      }
      if let interval = settings.snapshotInterval, sinceSnapshot >= interval {
        sinceSnapshot = .zero
        await snapshotIfWorthwhile(settings.snapshotRecordsMinimum)
      }
      if sinceArchive >= settings.archiveInterval {
        sinceArchive = .zero
        await tidySegments()
      }
    }
  }

  private func noteStandby(_ wasOverdue: inout Bool) {
    guard let hold = log.hold else { return }
    let isOverdue = hold.isOverloaded
    metrics.standby(held: hold.count, isOverdue: isOverdue)
    guard isOverdue != wasOverdue else { return }
    wasOverdue = isOverdue
    logger.log(
      level: isOverdue ? .error : .notice,
      isOverdue
        ? "no standby has what is on this disk: changes are refused" : "a standby has what is on this disk again"
    )
  }

  private func snapshotIfWorthwhile(_ recordsMinimum: UInt64) async {
    let last = snapshotPoints.withLock { $0.last?.position ?? 0 }
    guard let position = journal.writer?.durablePoint.position, position >= last + max(1, recordsMinimum) else {
      return
    }
    do {
      let info = try await snapshotNow()
      logger.info(
        "snapshot written",
        metadata: [
          "position": "\(info.position)", "entities": "\(info.entities)", "bytes": "\(info.bytes)",
        ])
    } catch {
      // The service goes on; a restart has more to read.
      metrics.snapshotFailed()
      logger.error("the snapshot failed", metadata: ["reason": "\(error)"])
    }
  }
}
