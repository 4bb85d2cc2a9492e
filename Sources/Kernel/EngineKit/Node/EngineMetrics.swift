import CoreMetrics
import Journal
import JournalFormat
import Metrics

/// The engine's metrics, looked up once.
struct EngineMetrics: Sendable {
  private let snapshotBytes = Gauge(label: "carillon.snapshot.bytes")
  private let snapshotPosition = Gauge(label: "carillon.snapshot.position")

  private let snapshotFailures = Counter(label: "carillon.snapshot.failures")
  private let entitiesAwake = Gauge(label: "carillon.entities.awake")
  private let spillBytes = Gauge(label: "carillon.entities.spill_bytes")

  private let storageFull = Gauge(label: "carillon.journal.storage_full")

  /// 1 while there is no room for the next segment.
  func storage(isFull: Bool) { storageFull.record(isFull ? 1 : 0) }

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
