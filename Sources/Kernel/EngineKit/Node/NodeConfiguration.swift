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

/// What the partitions of a node are told at start, and each of them.
package struct PartitionConfiguration: Sendable {
  /// Of all; the journal of one lies in `journal` below its own.
  package var dataDirectory: FilePath
  var id = PartitionID.first
  /// What its metrics are told apart by; nil where there is only one.
  var name: String?
  package var journal = JournalConfiguration()
  package var runtimeLimits = RuntimeLimits()
  package var housekeeping = HousekeepingSettings()
  package var standby = StandbySettings()

  package init(dataDirectory: FilePath) { self.dataDirectory = dataDirectory }

  /// As one of them is told.
  func of(_ id: PartitionID, in placement: Placement) -> PartitionConfiguration {
    guard placement.count > 1 else { return self }
    var one = self
    one.id = id
    one.name = "\(id)"
    let layout = PartitionLayout(placement)
    one.dataDirectory = layout.directory(of: id, in: dataDirectory)
    one.journal.archiveDirectory = layout.archive(of: id, below: journal.archiveDirectory)
    one.journal.replayProgress = journal.replayProgress?.part()
    return one
  }
}
