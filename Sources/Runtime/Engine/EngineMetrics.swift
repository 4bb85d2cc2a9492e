import CoreMetrics
import Journal
import JournalFormat
import Metrics
import PushDomain

/// The engine's metrics, looked up once.
struct EngineMetrics: Sendable {
  private let attempts = Counter(label: "carillon.push.attempts")
  private let skips = Counter(label: "carillon.push.skipped")
  private let outcomes: [String: Counter]

  init() {
    outcomes = Dictionary(
      uniqueKeysWithValues: FinalPushOutcome.names.map {
        ($0, Counter(label: "carillon.push.settled", dimensions: [("outcome", $0)]))
      })
  }

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

  func attempted() { attempts.increment() }
  func skipped() { skips.increment() }
  func settled(_ outcome: FinalPushOutcome) { outcomes[outcome.name]?.increment() }
}
