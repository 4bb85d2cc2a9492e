import EntityRuntime
import EventSourcing

/// Partitions, and the capabilities that live on them.
package final class PartitionService: Sendable {
  package let partitions: Partitions
  private let features: [any Feature]

  /// - Parameter features: those above after those that they stand on.
  package init(_ partitions: Partitions, _ features: [any Feature]) {
    self.partitions = partitions
    self.features = features
  }

  /// Opens the journal, rebuilds all state and, for a service, takes up what is owed.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do.
  package func recover(for purpose: RecoveryPurpose) async throws -> RecoverySummary {
    let time = partitions.node.time
    let started = time.monotonicMilliseconds
    let recovered = try await partitions.recover()
    for feature in features { try await feature.restored() }
    if purpose == .service {
      await partitions.takeUp(recovered)
      for partition in partitions.all { partition.beginWaitingForStandby() }
    }
    return RecoverySummary(recovered, duration: .milliseconds(time.monotonicMilliseconds - started))
  }

  func run() async {
    await withDiscardingTaskGroup { group in
      for partition in partitions.all { group.addTask { await partition.run() } }
      for feature in features { group.addTask { await feature.run() } }
      for partition in partitions.all { group.addTask { await partition.keepHouseUntilClosed() } }
    }
  }

  func drain() async {
    for feature in features { await feature.drain() }
  }

  /// Ends them for good.
  ///
  /// - Parameter deadline: in monotonic milliseconds, for those who are still to be told of what is on the disk; nobody
  ///   waits if it is past.
  package func close(until deadline: Int64 = .min) async {
    for feature in features { feature.finish() }
    for partition in partitions.all { await partition.close() }
    for feature in features { await feature.closed(until: deadline) }
  }
}

extension Node {
  /// What a stop has at least for telling of what is on the disk.
  private static let lastWordsMilliseconds: Int64 = 1_000

  /// Runs what belongs to the process, and these partitions until they are closed. To be running before they recover.
  package func run(_ services: [PartitionService]) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.run() }
      let ticking = environment.isStepped ? nil : Task { await self.timers.run() }
      group.addTask {
        await withDiscardingTaskGroup { group in
          for service in services { group.addTask { await service.run() } }
        }
        ticking?.cancel()
        await ticking?.value
      }
    }
  }

  /// Graceful stop, part 1: answers what is held, lets nobody new in. Idempotent.
  package func drain(_ services: [PartitionService]) async {
    guard beginDraining() else { return }
    for service in services { await service.drain() }
  }

  /// Graceful stop, part 2: waits for effects and pushes under way, at most `grace`, then syncs and closes the journals.
  package func stop(_ services: [PartitionService], grace: Duration) async {
    await drain(services)
    let deadline = time.monotonicMilliseconds + grace.wholeMilliseconds
    await settle(until: deadline)
    for service in services {
      for partition in service.partitions.all { await partition.settleStandby(until: deadline) }
    }
    // A log that refuses has nothing to wait for.
    for service in services { try? await service.partitions.context.untilDurable() }
    finish()
    // Whatever took the time, what it brought forth is told.
    let last = max(deadline, time.monotonicMilliseconds + Self.lastWordsMilliseconds)
    for service in services { await service.close(until: last) }
  }
}
