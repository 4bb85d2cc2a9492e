package import EngineKit
package import OptionKit

/// Devices' port, as its operators know it.
package enum DevicePort: ServerPart {
  package static var options: [OptionSpecification] { DeviceEdgeOptions.options + DeviceEdgeLimits.options }
  package static var metrics: [MetricKey] { DeviceMetricKeys.metrics }
}
