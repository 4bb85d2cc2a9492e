package import EntityRuntime
package import EventSourcing
package import Journal
package import JournalFormat
package import Logging
import Synchronization
package import SystemPackage

/// What belongs to one journal: its place in a store and its writer, the outbox, the entities that lie in it, snapshots,
/// the states that sleep, and the plan of a redaction.
package final class Partition: Sendable {
  package let node: Node
  package let dataDirectory: FilePath
  let configuration: JournalConfiguration
  let housekeeping: HousekeepingSettings
  package let catalogue: Catalogue
  package let context: RuntimeContext
  let log: JournalLog
  let outbox: Lane
  package let journal: JournalHolder
  package let housekeeper = Housekeeper()
  /// Where the journal is kept, with its snapshots and sealed segments.
  let store: any JournalStore
  let id: PartitionID
  package let snapshots: any SnapshotVault
  /// History, as it is kept.
  let sealed: any SegmentVault
  let spill: SleepingStates
  /// Reads the journal beside the writer.
  package let reader: JournalReader
  package let segmentRedaction: SegmentRedaction
  package let redactionIntent: RedactionIntent
  /// Whose records stand where; nil if nobody wants to know.
  package let recordIndex: RecordIndex?
  /// What strangers can check its history by.
  package let tree: JournalTree
  let metrics: EngineMetrics
  /// Where the snapshots begin that this process knows of and that are kept, oldest first.
  let snapshotPoints = Mutex<[JournalPoint]>([])
  /// When the newest of them was made.
  let snapshotMade = Mutex<Timestamp?>(nil)
  /// Whom the journal tells how far it is on the disk.
  let durableHooks = Mutex<[@Sendable (DurableExtent) -> Void]>([])
  let onFatal: @Sendable (String) -> Void
  private let added = Mutex<[any SnapshotSource]>([])

  package var journalDirectory: FilePath { dataDirectory.appending("journal") }
  /// Where old segments are; nil: in `archive` below the journal's directory.
  package var archiveDirectory: FilePath? { configuration.archiveDirectory }
  package var logger: Logger { node.logger }
  /// The node has no other: what is of one journal only may be had.
  package let isAlone: Bool
  /// From 0 on.
  package var number: Int { Int(id.rawValue) }

  /// Nothing is read yet: every operation is refused until `recover`.
  /// - Parameters:
  ///   - catalogue: of the kinds that its journal may hold.
  ///   - onFatal: called once if the journal fails.
  init(
    _ node: Node, _ configuration: PartitionConfiguration, catalogue: Catalogue,
    onFatal: @escaping @Sendable (String) -> Void
  ) {
    self.node = node
    id = configuration.id
    isAlone = configuration.name == nil
    metrics = EngineMetrics(partition: configuration.name)
    self.catalogue = catalogue
    self.onFatal = onFatal
    dataDirectory = configuration.dataDirectory
    var written = configuration.journal
    written.onSync = { [metrics] in metrics.synced(in: $0) }
    self.configuration = written
    housekeeping = configuration.housekeeping
    let (directory, archive) = (dataDirectory.appending("journal"), configuration.journal.archiveDirectory)
    let storage = node.environment.storage
    journal = JournalHolder(isStepped: node.environment.isStepped)
    outbox = Lane()
    let standby = configuration.standby
    log = JournalLog(
      outbox: outbox,
      hold: standby.waits
        ? StandbyHold(
          limit: standby.waitLimit, countMaximum: configuration.journal.pendingWaiterCountMaximum, outbox: outbox,
          time: node.time) : nil)
    if let hold = log.hold { durableHooks.withLock { $0.append { hold.becameDurable($0.position) } } }
    context = RuntimeContext(
      log: log, time: node.time, timers: node.timers, lanes: node.lanes, limits: configuration.runtimeLimits,
      onLostState: onFatal)
    store = FileJournalStore([id: FileJournalStore.Place(directory: directory, archive: archive)], storage: storage)
    snapshots = store.snapshots(id)
    sealed = store.sealed(id)
    reader = JournalReader(directory: directory, archive: archive, storage: storage)
    segmentRedaction = SegmentRedaction(sealed)
    redactionIntent = RedactionIntent(directory: directory, storage: storage)
    recordIndex =
      housekeeping.indexesSubjects ? RecordIndex(directory: directory, archive: archive, storage: storage) : nil
    tree = JournalTree(directory: directory, archive: archive, storage: storage)
    spill = SleepingStates(directory: dataDirectory.appending("asleep"), storage: storage)
  }

  /// The entities of one kind that lie here.
  func add(_ source: any SnapshotSource) { added.withLock { $0.append(source) } }

  /// All that a snapshot holds.
  var sources: [any SnapshotSource] { added.withLock { $0 } }
  /// The entities that sleep when nobody asks for them.
  package var shelves: [any SleepingSource] { sources.compactMap { $0 as? any SleepingSource } }

  /// From now on this is the oldest snapshot that is kept.
  package func noteSnapshot(at point: JournalPoint) { snapshotPoints.withLock { $0 = [point] } }

  /// The newest snapshot that is kept: where it begins, and when it was made; nil if there is none.
  package var newestSnapshot: (position: UInt64, made: Timestamp)? {
    guard let point = snapshotPoints.withLock({ $0.last }), let made = snapshotMade.withLock({ $0 }) else { return nil }
    return (point.position, made)
  }

  /// Bytes that the file system of the journal has left; nil if nobody knows.
  package var roomLeft: UInt64? { node.environment.storage.roomLeft(in: journalDirectory) }

  /// Brings the metrics up to date that nobody counts as things happen.
  package func report() {
    guard let writer = journal.writer else { return }
    metrics.journal(position: writer.durablePosition, roomLeft: roomLeft)
  }

  // MARK: Running

  /// Runs the outbox until `close`.
  package func run() async { await outbox.run() }

  /// Keeps house and, once it is closed, says so.
  package func keepHouseUntilClosed() async {
    let isStepped = node.environment.isStepped
    let keeping = isStepped ? [] : [Task { await self.keepHouse() }, Task { await self.keepTree() }]
    await journal.untilStopped()
    for task in keeping { task.cancel() }
    for task in keeping { await task.value }
  }

  /// True while the disk has no room for the journal: changes are refused, and whatever only reads goes on.
  package var isStorageFull: Bool { journal.writer?.isStorageFull ?? false }

  /// Syncs and closes the journal.
  package func close() async {
    do { try await journal.close() } catch { logger.error("the journal did not close cleanly: \(error)") }
    if !node.environment.isStepped { await finishTree() }
    outbox.finish()
    journal.stopped()
  }

  /// Runs what blocks on a thread of its own.
  package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await journal.onThread { Result { try body() } }.get()
  }
}
