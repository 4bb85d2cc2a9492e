import Engine
import EventSourcing
import Journal
import ServerKit
import Synchronization

/// How the whole server is at a moment.
struct OverviewSample: Sendable {
  let glance: EngineGlance
  let connections: Int
  let heldPolls: Int
  /// Connections of devices.
  let devices: Int
  /// Answers with a status from 500 on since the start, by surface.
  let failures: [String: Int]
}

/// The last hour, so that a page draws its plots without another server: a sample every ten seconds, in memory only.
final class OverviewRecorder: Sendable {
  static let intervalMilliseconds: Int64 = 10_000
  static let samplesMaximum = 360

  private let engine: Engine
  private let metrics: HTTPMetrics
  private let begunAt: Int64
  /// The oldest first.
  private let samples = Mutex<[OverviewSample]>([])

  init(engine: Engine, metrics: HTTPMetrics) {
    self.engine = engine
    self.metrics = metrics
    begunAt = engine.monotonicMilliseconds
  }

  /// Takes a sample, and goes on taking them for as long as somebody has the recorder.
  func run() {
    record()
    engine.after(milliseconds: Self.intervalMilliseconds) { [weak self] in self?.run() }
  }

  func record() {
    guard engine.isReady, let sample = now else { return }
    samples.withLock { samples in
      if samples.count == Self.samplesMaximum { samples.removeFirst() }
      samples.append(sample)
    }
  }

  /// Nil while the journal is not open.
  var now: OverviewSample? {
    engine.glance().map { glance in
      OverviewSample(
        glance: glance, connections: metrics.connections.current, heldPolls: metrics.heldPolls.current,
        devices: engine.deviceGateway.connectionCount, failures: metrics.failureCounts)
    }
  }

  var lastHour: [OverviewSample] { samples.withLock { $0 } }

  var uptimeSeconds: Int64 { (engine.monotonicMilliseconds - begunAt) / 1_000 }
}
