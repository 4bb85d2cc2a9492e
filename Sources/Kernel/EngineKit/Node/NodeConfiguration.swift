package import EntityRuntime
package import Journal
package import SystemPackage

/// What a node is told at start.
package struct NodeConfiguration: Sendable {
  /// The decimal before the dash of service ids.
  package var number = 1
  package var options: Options
  package var limits: EngineLimits
  /// Lanes that carry jobs from event loops and timers to entities.
  package var laneCount = 1

  package init(options: Options = Options(), limits: EngineLimits = EngineLimits()) {
    self.options = options
    self.limits = limits
  }
}

/// What a partition is told at start.
package struct PartitionConfiguration: Sendable {
  /// The journal lives in `journal` below it.
  package var dataDirectory: FilePath
  package var journal = JournalConfiguration()
  package var runtimeLimits = RuntimeLimits()
  package var housekeeping = HousekeepingSettings()
  package var standby = StandbySettings()

  package init(dataDirectory: FilePath) { self.dataDirectory = dataDirectory }
}
