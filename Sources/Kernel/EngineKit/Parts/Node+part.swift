package import OptionKit

extension Node: ServerPart {
  /// What operators can set of what every capability stands on.
  package static var options: [OptionSpecification] {
    CredentialOptions.options + NodeOptions.options + JournalOptions.options + HousekeepingSettings.options
      + StandbySettings.options + EngineLimits.options
  }

  package static var metrics: [MetricKey] { NodeMetricKeys.metrics }
}
