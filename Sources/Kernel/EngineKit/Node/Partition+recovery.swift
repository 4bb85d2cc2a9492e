import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization

/// What a start has found in a journal.
package struct Recovered: Sendable {
  let report: RecoveryReport
  /// The snapshot that it began with.
  let snapshot: SnapshotInfo?
  fileprivate(set) var counts: [EntityKind: Int] = [:]
  fileprivate(set) var found: [EntityKind: FoundEntities] = [:]

  /// How many live.
  func count(of kind: EntityKind) -> Int { counts[kind] ?? 0 }
}

extension Partition {
  /// Opens the journal and rebuilds all state: from the newest snapshot that is good, and the records behind it; if none
  /// is good, from all records.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do.
  package func recover() async throws -> Recovered {
    var (writer, recovered, kinds) = try await onThread { [self] in try openJournal() }
    journal.hold(writer)
    hookUp(writer)
    // Only now is it certain that no other process sleeps there.
    try await onThread { [spill] in try spill.clear() }
    log.open(writer)
    if let info = recovered.snapshot {
      snapshotPoints.withLock { $0 = [info.point] }
      snapshotMade.withLock { $0 = Timestamp(milliseconds: info.createdMilliseconds) }
    }
    for host in hosts {
      let kind = host.source.kind
      // Not to be kept: a state that two refer to is copied by the first that changes it.
      guard let entities = kinds.removeValue(forKey: kind) else {
        preconditionFailure("a kind without a card is hosted: \(kind)")
      }
      recovered.counts[kind] = entities.count
      recovered.found[kind] = FoundEntities(awake: entities.awake, finished: entities.finished)
      try await host.restore(entities, in: self)
    }
    precondition(kinds.isEmpty, "nobody hosts \(kinds.keys)")
    return recovered
  }

  /// Takes up what is owed.
  package func takeUp(_ recovered: Recovered) async {
    let hosts = hosts
    for phase in RearmPhase.allCases {
      for host in hosts {
        guard let found = recovered.found[host.source.kind] else { continue }
        await host.takeUp(phase, found)
      }
    }
  }

  private typealias Opened = (writer: JournalWriter, recovered: Recovered, kinds: [EntityKind: any RecoveredEntities])

  private func openJournal() throws -> Opened {
    for file in try snapshots.all() {
      do {
        let snapshot = try snapshots.open(file)
        return try replay(over: snapshot)
      } catch let error as SnapshotError where Self.isPassedOver(error) {
        logger.warning("a snapshot is left out", metadata: ["reason": "\(error)"])
      } catch let error as ReplayError {
        // The snapshot and the records behind it do not fit: the one before, or the records alone, may.
        logger.error("a snapshot is left out", metadata: ["snapshot": "\(file.path)", "reason": "\(error)"])
      } catch let error as JournalError {
        // Of another journal, or of one that has lost its end: nobody but the operator can tell which of the two to keep.
        throw SnapshotError(error, snapshot: file.path) ?? error
      }
    }
    return try replay(over: nil)
  }

  /// A snapshot that only costs time: the one before, or the journal itself, has all that it had.
  private static func isPassedOver(_ error: SnapshotError) -> Bool {
    switch error {
    case .damaged, .incomplete, .foreignFile, .renamed: true
    case .newerVersion, .foreignJournal, .historyDiffers, .journalShorter, .storage: false
    }
  }

  private func replay(over snapshot: Snapshot?) throws -> Opened {
    let indexes = try SnapshotIndex.read(snapshot)
    // A snapshot is looked up by one thread; what stands behind it is little.
    let shares = snapshot == nil ? ReplayShare.ofThisMachine : [.all]
    let replays = catalogue.cards.map { (kind: $0.kind, replay: $0.replay(over: indexes[$0.kind], shares)) }
    var settings = configuration
    settings.startingPoint = snapshot?.info.point
    settings.leaves = housekeeping.keepsTree ? tree.leaves : nil
    let (writer, report) = try store.open(
      id, settings, deliver: log.delivery, lost: { [onFatal] in onFatal("\($0)") },
      replays: shares.map { share in
        var lanes = [KindReplay.Lane?](repeating: nil, count: 256)
        for (kind, replay) in replays { lanes[Int(kind.rawValue)] = replay.lanes[share.index] }
        return Self.replay(into: lanes)
      })
    do {
      var kinds: [EntityKind: any RecoveredEntities] = [:]
      for (kind, replay) in replays { kinds[kind] = try replay.finish() }
      return (writer, Recovered(report: report, snapshot: snapshot?.info), kinds)
    } catch {
      try? writer.close()
      throw error
    }
  }

  /// - Parameter lanes: by kind.
  private static func replay(into lanes: [KindReplay.Lane?]) -> JournalWriter.Replay {
    { view in
      guard let lane = lanes[Int(view.kind)] else {
        if view.isRedacted { return }
        throw ReplayError.unknownKind(position: view.position, kind: view.kind)
      }
      // Erased lawfully: nothing is left to replay, and what it belonged to may have a gap there.
      guard !view.isRedacted else { return lane.erased() }
      try lane.apply(
        ReplayRecord(
          position: view.position, kind: EntityKind(rawValue: view.kind), key: view.key, sequence: view.sequence,
          time: Timestamp(milliseconds: view.timeMilliseconds), tag: view.tag, payload: view.payload))
    }
  }
}
