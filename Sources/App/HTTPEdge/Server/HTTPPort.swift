package import EngineKit
package import OptionKit

/// The HTTP edge, as its operators know it.
package enum HTTPPort: ServerPart {
  package static var options: [OptionSpecification] {
    AccessOptions.options + TokenOptions.options + PublishedAddressOptions.options + EdgeLimits.options
  }

  package static var metrics: [MetricKey] { EdgeMetricKeys.metrics }
}
