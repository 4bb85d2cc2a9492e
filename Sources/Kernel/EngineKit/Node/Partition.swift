package import EntityRuntime
package import EventSourcing
package import Journal
package import JournalFormat
package import Logging
import Synchronization
package import SystemPackage

/// What belongs to one journal: its place in a store and its writer, the outbox, who hosts which kind of entity, snapshots, the states
/// that sleep, and the plan of a redaction.
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
  let id = PartitionID.first
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
  let metrics = EngineMetrics()
  /// Where the snapshots begin that this process knows of and that are kept, oldest first.
  let snapshotPoints = Mutex<[JournalPoint]>([])
  /// When the newest of them was made.
  let snapshotMade = Mutex<Timestamp?>(nil)
  /// Whom the journal tells how far it is on the disk.
  let durableHooks = Mutex<[@Sendable (DurableExtent) -> Void]>([])
  let onFatal: @Sendable (String) -> Void
  private let added = Mutex<[any KindHost]>([])

  package var journalDirectory: FilePath { dataDirectory.appending("journal") }
  /// Where old segments are; nil: in `archive` below the journal's directory.
  package var archiveDirectory: FilePath? { configuration.archiveDirectory }
  package var logger: Logger { node.logger }

  /// Nothing is read yet: every operation is refused until `recover`.
  /// - Parameters:
  ///   - catalogue: of the kinds that its journal may hold; each needs its host before it is opened.
  ///   - onFatal: called once if the journal fails.
  package init(
    _ node: Node, _ configuration: PartitionConfiguration, catalogue: Catalogue,
    onFatal: @escaping @Sendable (String) -> Void
  ) {
    self.node = node
    self.catalogue = catalogue
    self.onFatal = onFatal
    dataDirectory = configuration.dataDirectory
    self.configuration = configuration.journal
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

  // MARK: Who hosts what

  package func directory<State: RestorableState>(_ kind: EntityKind, of type: State.Type = State.self)
    -> EntityDirectory<State>
  {
    EntityDirectory(kind: kind, context: context)
  }

  package func timers<Alarm: Hashable & Sendable>(_ type: Alarm.Type = Alarm.self) -> KeyedTimers<Alarm> {
    KeyedTimers(wheel: node.timers, time: node.time)
  }

  /// In the order in which their kinds are restored, and taken up within each phase.
  package func add(_ host: some KindHost) { added.withLock { $0.append(host) } }

  /// As the other; its directory belongs to it from now on.
  package func add<Host: EntityHost>(_ host: Host) {
    bind(host)
    added.withLock { $0.append(host) }
  }

  /// As the other; its timers, too.
  package func add<Host: AlarmedHost>(_ host: Host) {
    bind(host)
    let (kind, lanes) = (host.directory.kind, context.lanes)
    host.timers.bind { alarm, key in
      lanes[EntityID(kind, key).hashValue].enqueue { await host.fired(alarm, of: key) }
    }
    added.withLock { $0.append(host) }
  }

  private func bind<Host: EntityHost>(_ host: Host) {
    host.directory.bind(note: { host.note(of: $0) }) { await host.perform($0, of: $1) }
  }

  package var hosts: [any KindHost] { added.withLock { $0 } }

  /// All that a snapshot holds.
  var sources: [any SnapshotSource] { hosts.map(\.source) }
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
