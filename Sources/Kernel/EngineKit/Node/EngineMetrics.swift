import CoreMetrics
import Journal
import JournalFormat
import Metrics

/// The engine's metrics, looked up once.
struct EngineMetrics: Sendable {
  private let snapshotBytes = Gauge(NodeMetricKeys.keys.snapshotBytes)
  private let snapshotPosition = Gauge(NodeMetricKeys.keys.snapshotPosition)

  private let snapshotFailures = Counter(NodeMetricKeys.keys.snapshotFailures)
  private let entitiesAwake = Gauge(NodeMetricKeys.keys.awake)
  private let spillBytes = Gauge(NodeMetricKeys.keys.spillBytes)

  private let storageFull = Gauge(NodeMetricKeys.keys.storageFull)

  private let indexBehind = Gauge(NodeMetricKeys.keys.indexBehind)

  private let standbyHeld = Gauge(NodeMetricKeys.keys.standbyHeld)
  private let standbyOverdue = Gauge(NodeMetricKeys.keys.standbyOverdue)

  private let treeBehind = Gauge(NodeMetricKeys.keys.treeBehind)
  private let treeSize = Gauge(NodeMetricKeys.keys.treeSize)
  private let treeSecondsBehind = Gauge(NodeMetricKeys.keys.treeSecondsBehind)
  private let treeFailures = Counter(NodeMetricKeys.keys.treeFailures)

  /// - Parameter recordsBehind: that are on the disk and not in the tree.
  func treeGrew(to size: UInt64, recordsBehind: UInt64) {
    treeSize.record(size)
    treeBehind.record(recordsBehind)
  }

  func tree(secondsBehind: Double) { treeSecondsBehind.record(secondsBehind) }

  func treeFailed() { treeFailures.increment() }

  func indexed(segmentsBehind: Int) { indexBehind.record(segmentsBehind) }

  /// 1 while there is no room for the next segment.
  func storage(isFull: Bool) { storageFull.record(isFull ? 1 : 0) }

  func standby(held: Int, isOverdue: Bool) {
    standbyHeld.record(held)
    standbyOverdue.record(isOverdue ? 1 : 0)
  }

  func snapshotFailed() { snapshotFailures.increment() }

  func slept(awake: Int, spillBytes bytes: Int) {
    entitiesAwake.record(awake)
    spillBytes.record(bytes)
  }

  func snapshotWritten(_ info: SnapshotInfo) {
    snapshotBytes.record(info.fileByteCount)
    snapshotPosition.record(info.point.position)
  }

}
