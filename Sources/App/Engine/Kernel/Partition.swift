import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import Synchronization
import SystemPackage

/// What belongs to one journal: its directory and writer, the outbox, who hosts which kind of entity, snapshots, the states
/// that sleep, and the plan of a redaction.
final class Partition: Sendable {
  let node: Node
  let dataDirectory: FilePath
  let configuration: JournalConfiguration
  let housekeeping: HousekeepingSettings
  let catalogue: Catalogue
  let context: RuntimeContext
  let log: JournalLog
  let outbox: Lane
  let journal: JournalHolder
  let housekeeper = Housekeeper()
  let snapshots: SnapshotStore
  let spill: SleepingStates
  /// Reads the journal beside the writer.
  let reader: JournalReader
  let segmentRedaction: SegmentRedaction
  let redactionIntent: RedactionIntent
  let metrics = EngineMetrics()
  /// Where the snapshots begin that this process knows of and that are kept, oldest first.
  let snapshotPoints = Mutex<[JournalPoint]>([])
  let onFatal: @Sendable (String) -> Void
  private let added = Mutex<[any KindHost]>([])

  var journalDirectory: FilePath { dataDirectory.appending("journal") }
  var logger: Logger { node.logger }

  /// Nothing is read yet: every operation is refused until `recover`.
  /// - Parameters:
  ///   - catalogue: of the kinds that its journal may hold; each needs its host before it is opened.
  ///   - onFatal: called once if the journal fails.
  init(
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
    log = JournalLog(outbox: outbox)
    context = RuntimeContext(
      log: log, time: node.time, timers: node.timers, lanes: node.lanes, limits: configuration.runtimeLimits,
      onLostState: onFatal)
    snapshots = SnapshotStore(directory: directory, storage: storage)
    reader = JournalReader(directory: directory, archive: archive, storage: storage)
    segmentRedaction = SegmentRedaction(directory: directory, archive: archive, storage: storage)
    redactionIntent = RedactionIntent(directory: directory, storage: storage)
    spill = SleepingStates(directory: dataDirectory.appending("asleep"), storage: storage)
  }

  // MARK: Who hosts what

  func directory<State: RestorableState>(_ kind: EntityKind, of type: State.Type = State.self) -> EntityDirectory<State>
  {
    EntityDirectory(kind: kind, context: context)
  }

  func timers<Alarm: Hashable & Sendable>(_ type: Alarm.Type = Alarm.self) -> KeyedTimers<Alarm> {
    KeyedTimers(wheel: node.timers, time: node.time)
  }

  /// In the order in which their kinds are restored, and taken up within each phase.
  func add(_ host: some KindHost) { added.withLock { $0.append(host) } }

  /// As the other; its directory belongs to it from now on.
  func add<Host: EntityHost>(_ host: Host) {
    bind(host)
    added.withLock { $0.append(host) }
  }

  /// As the other; its timers, too.
  func add<Host: AlarmedHost>(_ host: Host) {
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

  var hosts: [any KindHost] { added.withLock { $0 } }

  /// All that a snapshot holds.
  var sources: [any SnapshotSource] { hosts.map(\.source) }
  /// The entities that sleep when nobody asks for them.
  var shelves: [any SleepingSource] { sources.compactMap { $0 as? any SleepingSource } }

  // MARK: Running

  /// Runs the outbox until `close`.
  func run() async { await outbox.run() }

  /// Keeps house and, once it is closed, says so.
  func keepHouseUntilClosed() async {
    let keeping = node.environment.isStepped ? nil : Task { await self.keepHouse() }
    await journal.untilStopped()
    keeping?.cancel()
    await keeping?.value
  }

  /// True while the disk has no room for the journal: changes are refused, and whatever only reads goes on.
  var isStorageFull: Bool { journal.writer?.isStorageFull ?? false }

  /// Syncs and closes the journal.
  func close() async {
    do { try await journal.close() } catch { logger.error("the journal did not close cleanly: \(error)") }
    outbox.finish()
    journal.stopped()
  }

  /// Runs what blocks on a thread of its own.
  func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await journal.onThread { Result { try body() } }.get()
  }
}
