import CoreMetrics
import EngineKit
import Metrics
import StandbyWire

/// What operators are shown of the standbys of this primary.
struct StandbyMetricKeys: MetricTable {
  static let keys = StandbyMetricKeys()

  let connected = MetricKey("carillon.standby.connected", "1 while the standby's stream is open, by standby.")
  let recordsBehind = MetricKey(
    "carillon.standby.records_behind", "Records on the disk that the standby has not acknowledged, by standby.")
  let secondsBehind = MetricKey(
    "carillon.standby.seconds_behind",
    "For how long the oldest record that the standby has not acknowledged has been on the disk, by standby.")
  let bytes = MetricKey("carillon.standby.bytes_sent", "Bytes of streams and files that were sent to standbys.")
  let refusals = MetricKey("carillon.standby.refusals", "Requests of standbys that were refused, by reason.")

  init() {}
}

struct StandbyMetrics: Sendable {
  private let bytes = Counter(StandbyMetricKeys.keys.bytes)

  func sent(_ count: Int) { bytes.increment(by: count) }

  func refused(_ refusal: StandbyRefusal) {
    Counter(StandbyMetricKeys.keys.refusals, dimensions: [("reason", refusal.rawValue)]).increment()
  }

  func report(_ standings: [StandbyStanding]) {
    for standing in standings {
      let dimensions = [("standby", standing.name.text)]
      Gauge(StandbyMetricKeys.keys.connected, dimensions: dimensions).record(standing.isConnected ? 1 : 0)
      Gauge(StandbyMetricKeys.keys.secondsBehind, dimensions: dimensions)
        .record(Double(standing.millisecondsBehind) / 1_000)
      guard let records = standing.recordsBehind else { continue }
      Gauge(StandbyMetricKeys.keys.recordsBehind, dimensions: dimensions).record(records)
    }
  }
}
