package import EngineKit
package import OptionKit

/// App servers' port, as its operators know it.
package enum CCSPort: ServerPart {
  package static var options: [OptionSpecification] { CCSOptions.options + CCSLimits.options }
  package static var metrics: [MetricKey] { CCSMetricKeys.metrics }
}
