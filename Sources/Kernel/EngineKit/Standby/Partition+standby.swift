import EntityRuntime
package import Journal
package import JournalFormat
import Synchronization

/// What a standby has to do with a partition.
extension Partition {
  /// How much of the journal is on the disk; nil while it is not open.
  package var durableExtent: DurableExtent? { journal.writer?.durableExtent }

  /// Has `hook` called whenever that has grown; see `JournalWriter.onDurable`.
  package func onDurable(_ hook: @escaping @Sendable (DurableExtent) -> Void) {
    durableHooks.withLock { $0.append(hook) }
    if let writer = journal.writer { hookUp(writer) }
  }

  func hookUp(_ writer: JournalWriter) {
    let hooks = durableHooks.withLock { $0 }
    guard !hooks.isEmpty else { return }
    writer.onDurable { extent in for hook in hooks { hook(extent) } }
  }

  /// Remembers durably that somebody knows of an epoch: a higher one than the journal's own ends its writing, which is the
  /// caller's affair. Blocks; one call at a time.
  ///
  /// - Returns: what the directory knows now.
  /// - Throws: `JournalError`.
  package func heard(of epoch: UInt32) throws(JournalError) -> JournalEpoch {
    try EpochStore(
      directory: journalDirectory, archive: configuration.archiveDirectory, storage: node.environment.storage
    ).heard(of: epoch)
  }

  /// A standby has the journal on its disk up to `position`. Any thread; what nobody waits for changes nothing.
  package func wasAcknowledged(_ position: UInt64) {
    guard let hold = log.hold, let writer = journal.writer else { return }
    // Whatever a standby says, it was sent no more.
    hold.wasAcknowledged(min(position, writer.durablePosition))
  }

  /// Whether what is durable is on a standby's disk too.
  package var waitsForStandby: Bool { log.hold != nil }

  /// From now on nothing leaves before a standby has it, if the settings say so.
  func beginWaitingForStandby() {
    guard let hold = log.hold, let writer = journal.writer else { return }
    hold.begin(at: writer.durablePosition)
  }

  /// Waits, at most until `deadline` in monotonic milliseconds, until a standby has everything, and then no more: who still
  /// waits is told that it may be lost.
  func settleStandby(until deadline: Int64) async {
    guard let hold = log.hold else { return }
    while let writer = journal.writer, !hold.hasReleased(writer.lastPosition),
      node.time.monotonicMilliseconds < deadline
    {
      await node.timers.sleep(milliseconds: node.timers.tickMilliseconds)
    }
    hold.giveUp()
  }
}
