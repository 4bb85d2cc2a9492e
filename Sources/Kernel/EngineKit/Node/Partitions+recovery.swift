import EntityRuntime
import EventSourcing
import Journal
import JournalFormat

/// What a start has found in the journals.
package struct Recovered: Sendable {
  /// By partition.
  let reports: [RecoveryReport]
  /// The snapshots that they began with.
  let snapshots: [SnapshotInfo?]
  fileprivate(set) var counts: [EntityKind: Int] = [:]
  fileprivate(set) var found: [EntityKind: FoundEntities] = [:]

  /// How many live.
  func count(of kind: EntityKind) -> Int { counts[kind] ?? 0 }
}

extension Partitions {
  /// Opens the journals and rebuilds all state.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do. None of
  ///   the journals is open then.
  package func recover() async throws -> Recovered {
    let opened = try await open()
    var recovered = Recovered(reports: opened.map(\.report), snapshots: opened.map(\.snapshot))
    for host in hosts {
      // Not to be kept: a state that two refer to is copied by the first that changes it.
      let shares = zip(all, opened).map { partition, opened in
        guard let entities = opened.take(host.kind) else {
          preconditionFailure("a kind without a card is hosted: \(host.kind)")
        }
        return RecoveredShare(partition: partition, entities: entities)
      }
      recovered.counts[host.kind] = shares.reduce(0) { $0 + $1.entities.count }
      recovered.found[host.kind] = FoundEntities(
        awake: shares.flatMap(\.entities.awake), finished: shares.flatMap(\.entities.finished))
      try await host.restore(shares)
    }
    for one in opened { precondition(one.kindsLeft.isEmpty, "nobody hosts \(one.kindsLeft)") }
    return recovered
  }

  /// Takes up what is owed.
  package func takeUp(_ recovered: Recovered) async {
    let hosts = hosts
    for phase in RearmPhase.allCases {
      for host in hosts {
        guard let found = recovered.found[host.kind] else { continue }
        await host.takeUp(phase, found)
      }
    }
  }

  /// All at once; one after the other where everything happens on one thread.
  private func open() async throws -> [OpenedJournal] {
    let shares = ReplayShare.ofThisMachine(among: all.count)
    do {
      if node.environment.isStepped || all.count == 1 {
        var opened: [OpenedJournal] = []
        for partition in all { opened.append(try await partition.open(shares)) }
        return opened
      }
      return try await withThrowingTaskGroup(of: (Int, OpenedJournal).self) { group in
        for (number, partition) in all.enumerated() {
          group.addTask { (number, try await partition.open(shares)) }
        }
        var opened = [OpenedJournal?](repeating: nil, count: all.count)
        for try await (number, one) in group { opened[number] = one }
        return opened.compactMap(\.self)
      }
    } catch {
      if all.count > 1 { for partition in all { try? await partition.journal.close() } }
      throw error
    }
  }
}
