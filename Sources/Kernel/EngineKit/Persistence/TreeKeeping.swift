import EntityRuntime
package import Journal
import JournalFormat
import Logging
import Synchronization

/// Keeps the tree over the journal's records, beside the service and never in its way.
struct TreeKeeping {
  private let partition: Partition
  private var limits: EngineLimits { partition.node.limits }
  /// The first record that was seen on the disk and not in the tree, and since when.
  private var lack: (position: UInt64, since: Int64)?

  init(_ partition: Partition) { self.partition = partition }

  /// Until the surrounding task is cancelled.
  mutating func run() async {
    guard partition.housekeeping.keepsTree else { return }
    var sinceStored: Int64 = 0
    var restMilliseconds: Int64 = 0
    var lastPosition: UInt64 = 0
    var lastFailure: TreeError?
    while (try? await Task.sleep(for: .milliseconds(limits.treePauseMilliseconds))) != nil {
      sinceStored += limits.treePauseMilliseconds
      restMilliseconds -= limits.treePauseMilliseconds
      noteLack()
      guard partition.node.isReady, !partition.isStorageFull, restMilliseconds <= 0,
        let position = partition.journal.writer?.durablePoint.position
      else { continue }
      let quietRecords = limits.quietRecordsBySecond * UInt64(clamping: limits.treePauseMilliseconds) / 1000
      let isQuiet = position - min(lastPosition, position) <= quietRecords
      lastPosition = position
      do throws(TreeError) {
        // With much else to do, what is to be read of segments has its turn once in each pause.
        while try await partition.extendTree().hasMore, isQuiet, !Task.isCancelled {}
        if sinceStored >= limits.treeStoreSeconds * 1000 {
          sinceStored = 0
          try await partition.storeTree()
        }
        lastFailure = nil
      } catch {
        // It begins by looking again, which may cost a segment.
        restMilliseconds = limits.treeStoreSeconds * 1000
        partition.metrics.treeFailed()
        if error != lastFailure { note(error) }
        lastFailure = error
      }
    }
  }

  private mutating func noteLack() {
    let (size, now) = (partition.tree.size, partition.node.time.monotonicMilliseconds)
    guard let position = partition.journal.writer?.durablePoint.position else { return }
    if let lack, size >= lack.position { self.lack = nil }
    if lack == nil, position > size { lack = (position, now) }
    partition.metrics.tree(secondsBehind: lack.map { Double(now - $0.since) / 1000 } ?? 0)
  }

  private func note(_ error: TreeError) {
    let isLost = if case .lost = error { true } else { false }
    partition.logger.log(
      level: isLost ? .error : .warning, "the tree over the records does not grow", metadata: ["reason": "\(error)"])
  }
}

extension Partition {
  /// Keeps the tree until the surrounding task is cancelled.
  func keepTree() async {
    var keeping = TreeKeeping(self)
    await keeping.run()
  }

  /// Puts records into the tree, if there are some that it lacks.
  package func extendTree() async throws(TreeError) -> JournalTree.Progress {
    guard let position = journal.writer?.durablePoint.position else { return JournalTree.Progress() }
    let progress = try await onTreeThread { [tree, node] () throws(TreeError) in
      try tree.extend(upTo: position, isWanted: { node.isReady })
    }
    metrics.treeGrew(to: progress.size, recordsBehind: position - min(progress.size, position))
    return progress
  }

  /// Whether the tree is kept at all.
  package var keepsTree: Bool { housekeeping.keepsTree }

  /// Makes durable what the tree has, and keeps its edges at the snapshots' points.
  func storeTree() async throws(TreeError) {
    let points = snapshotPoints.withLock { $0 }
    try await onTreeThread { [tree] () throws(TreeError) in
      try tree.store()
      for point in points where point.position <= tree.size { try tree.keepEdge(at: point) }
    }
  }

  /// Before the journal forgets what stands before a point: the tree has all of it, and its edge at the point is kept.
  ///
  /// - Throws: `TreeError`, but not if nothing is left that could be kept.
  func keepTree(for point: JournalPoint) async throws {
    guard housekeeping.keepsTree else { return }
    do throws(TreeError) {
      try await onTreeThread { [tree] () throws(TreeError) in
        while try tree.extend(upTo: point.position).hasMore {}
        try tree.store()
        try tree.keepEdge(at: point)
      }
    } catch {
      guard case .lost = error else { throw error }
    }
  }

  /// Leaves nothing for the next start to make.
  func finishTree() async {
    guard housekeeping.keepsTree, let position = journal.writer?.durablePoint.position else { return }
    do throws(TreeError) {
      try await onTreeThread { [tree] () throws(TreeError) in
        // One that is far behind goes on after the next start.
        if position <= tree.size + 1_000_000 { while try tree.extend(upTo: position).hasMore {} }
        try tree.store()
      }
    } catch {
      logger.debug("the tree over the records is not up to date", metadata: ["reason": "\(error)"])
    }
  }

  private func onTreeThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(TreeError) -> Value
  ) async throws(TreeError) -> Value {
    try await journal.onThread { Result { () throws(TreeError) in try body() } }.get()
  }
}
