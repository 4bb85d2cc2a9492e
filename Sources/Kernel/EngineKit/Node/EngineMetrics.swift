import CoreMetrics
import Journal
import JournalFormat
import Metrics

/// A partition's metrics, looked up once.
struct EngineMetrics: Sendable {
  private let snapshotBytes: Gauge
  private let snapshotPosition: Gauge
  private let snapshotFailures: Counter
  private let entitiesAwake: Gauge
  private let spillBytes: Gauge
  private let position: Gauge
  private let roomLeft: Gauge
  private let sync: Metrics.Timer
  private let storageFull: Gauge
  private let indexBehind: Gauge
  private let standbyHeld: Gauge
  private let standbyOverdue: Gauge
  private let treeBehind: Gauge
  private let treeSize: Gauge
  private let treeSecondsBehind: Gauge
  private let treeFailures: Counter

  /// - Parameter partition: what its metrics are told apart by; nil where there is only one.
  init(partition: String?) {
    let (keys, dimensions) = (NodeMetricKeys.keys, partition.map { [("partition", $0)] } ?? [])
    snapshotBytes = Gauge(keys.snapshotBytes, dimensions: dimensions)
    snapshotPosition = Gauge(keys.snapshotPosition, dimensions: dimensions)
    snapshotFailures = Counter(keys.snapshotFailures, dimensions: dimensions)
    entitiesAwake = Gauge(keys.awake, dimensions: dimensions)
    spillBytes = Gauge(keys.spillBytes, dimensions: dimensions)
    position = Gauge(keys.position, dimensions: dimensions)
    roomLeft = Gauge(keys.roomLeft, dimensions: dimensions)
    sync = Metrics.Timer(keys.sync, dimensions: dimensions)
    storageFull = Gauge(keys.storageFull, dimensions: dimensions)
    indexBehind = Gauge(keys.indexBehind, dimensions: dimensions)
    standbyHeld = Gauge(keys.standbyHeld, dimensions: dimensions)
    standbyOverdue = Gauge(keys.standbyOverdue, dimensions: dimensions)
    treeBehind = Gauge(keys.treeBehind, dimensions: dimensions)
    treeSize = Gauge(keys.treeSize, dimensions: dimensions)
    treeSecondsBehind = Gauge(keys.treeSecondsBehind, dimensions: dimensions)
    treeFailures = Counter(keys.treeFailures, dimensions: dimensions)
  }

  /// - Parameter recordsBehind: that are on the disk and not in the tree.
  func treeGrew(to size: UInt64, recordsBehind: UInt64) {
    treeSize.record(size)
    treeBehind.record(recordsBehind)
  }

  func tree(secondsBehind: Double) { treeSecondsBehind.record(secondsBehind) }

  func treeFailed() { treeFailures.increment() }

  func indexed(segmentsBehind: Int) { indexBehind.record(segmentsBehind) }

  /// A batch is on the disk, which took so long. Called on the journal's thread.
  func synced(in duration: Duration) { sync.record(duration: duration) }

  /// - Parameter roomLeft: bytes; nil if nobody knows.
  func journal(position: UInt64, roomLeft bytes: UInt64?) {
    self.position.record(position)
    if let bytes { roomLeft.record(bytes) }
  }

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
