package import EngineKit
import OptionKit

/// What all ports show operators.
struct PortMetricKeys: MetricTable {
  static let keys = PortMetricKeys()

  let certificateEnd = MetricKey(
    "carillon_certificate_end_timestamp_seconds", "When the certificate of a port expires, in seconds since 1970.")

  init() {}
}

extension BudgetSettings: ServerPart {
  package static var metrics: [MetricKey] { PortMetricKeys.metrics }
}
