import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization

/// What a start has found in a journal. Its entities are taken out of it, so that nobody else refers to their states.
final class OpenedJournal: Sendable {
  let report: RecoveryReport
  /// The snapshot that it began with.
  let snapshot: SnapshotInfo?
  private let kinds: Mutex<[EntityKind: any RecoveredEntities]>

  init(report: RecoveryReport, snapshot: SnapshotInfo?, kinds: sending [EntityKind: any RecoveredEntities]) {
    self.report = report
    self.snapshot = snapshot
    self.kinds = Mutex(kinds)
  }

  func take(_ kind: EntityKind) -> (any RecoveredEntities)? { kinds.withLock { $0.removeValue(forKey: kind) } }

  /// Those that nobody has taken.
  var kindsLeft: [EntityKind] { kinds.withLock { Array($0.keys) } }
}

extension Partition {
  /// Opens the journal and replays it: from the newest snapshot that is good, and the records behind it; if none is good,
  /// from all records.
  /// - Parameter shares: in how many parts a replay without a snapshot is done at once.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do.
  func open(_ shares: [ReplayShare]) async throws -> OpenedJournal {
    let (writer, opened) = try await onThread { [self] in try openJournal(shares) }
    journal.hold(writer)
    hookUp(writer)
    // Only now is it certain that no other process sleeps there.
    try await onThread { [spill] in try spill.clear() }
    log.open(writer)
    if let info = opened.snapshot {
      snapshotPoints.withLock { $0 = [info.point] }
      snapshotMade.withLock { $0 = Timestamp(milliseconds: info.createdMilliseconds) }
    }
    return opened
  }

  private func openJournal(_ shares: [ReplayShare]) throws -> (JournalWriter, OpenedJournal) {
    for file in try snapshots.all() {
      do {
        let snapshot = try snapshots.open(file)
        return try replay(over: snapshot, [.all])
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
    return try replay(over: nil, shares)
  }

  /// A snapshot that only costs time: the one before, or the journal itself, has all that it had.
  private static func isPassedOver(_ error: SnapshotError) -> Bool {
    switch error {
    case .damaged, .incomplete, .foreignFile, .renamed: true
    case .newerVersion, .foreignJournal, .historyDiffers, .journalShorter, .storage: false
    }
  }

  /// - Parameter shares: one with a snapshot, which is looked up by one thread; what stands behind it is little.
  private func replay(over snapshot: Snapshot?, _ shares: [ReplayShare]) throws -> (JournalWriter, OpenedJournal) {
    let indexes = try SnapshotIndex.read(snapshot)
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
      return (writer, OpenedJournal(report: report, snapshot: snapshot?.info, kinds: kinds))
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
