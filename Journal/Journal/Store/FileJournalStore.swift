package import SystemPackage

/// Journals in directories: a directory for each partition, with its snapshots below it (`FORMAT.md`, "Files").
package struct FileJournalStore: JournalStore {
  /// Where one journal is.
  package struct Place: Sendable {
    package let directory: FilePath
    /// Where its old segments are; nil: in `archive` below its directory.
    package let archive: FilePath?

    package init(directory: FilePath, archive: FilePath? = nil) {
      self.directory = directory
      self.archive = archive
    }
  }

  private let places: [PartitionID: Place]
  private let storage: any JournalStorage

  /// - Parameter places: of all partitions that are asked for.
  package init(_ places: [PartitionID: Place], storage: any JournalStorage = DiskStorage()) {
    self.places = places
    self.storage = storage
  }

  package func open(
    _ partition: PartitionID, _ configuration: JournalConfiguration, deliver: JournalWriter.Delivery?,
    lost: @escaping JournalWriter.FatalHandler, replays: [JournalWriter.Replay]
  ) throws -> (writer: JournalWriter, report: RecoveryReport) {
    let place = place(of: partition)
    var configuration = configuration
    configuration.archiveDirectory = place.archive
    return try JournalWriter.open(
      directory: place.directory, configuration: configuration, storage: storage, deliver: deliver, onFatal: lost,
      replays: replays)
  }

  package func snapshots(_ partition: PartitionID) -> any SnapshotVault {
    SnapshotStore(directory: place(of: partition).directory, storage: storage)
  }

  package func sealed(_ partition: PartitionID) -> any SegmentVault {
    let place = place(of: partition)
    return SegmentFiles(
      directory: JournalDirectory(path: place.directory, archive: place.archive, storage: storage))
  }

  private func place(of partition: PartitionID) -> Place {
    guard let place = places[partition] else { preconditionFailure("partition \(partition) has a place") }
    return place
  }
}
