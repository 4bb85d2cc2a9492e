package import EntityRuntime
package import EventSourcing
import Journal
package import Logging
import Synchronization
package import SystemPackage

/// The partitions of a node, and who hosts which kind of entity in them.
///
/// Each has a journal, snapshots and an outbox of its own; what an entity wants of another one leaves once its event is
/// durable in its own journal, whichever journal the other's events go to.
package final class Partitions: Sendable {
  package let node: Node
  /// By their numbers.
  package let all: [Partition]
  package let catalogue: Catalogue
  package let placement: Placement
  /// Of all together: whoever waits for what was appended waits for every journal.
  package let context: RuntimeContext
  /// Where the partitions' directories are, and what belongs to none of them.
  package let dataDirectory: FilePath
  private let added = Mutex<[any KindHost]>([])

  /// Nothing is read yet: every operation is refused until `recover`.
  /// - Parameters:
  ///   - catalogue: of the kinds that the journals may hold; each needs its host before they are opened.
  ///   - onFatal: called once if a journal fails.
  package init(
    _ node: Node, _ configuration: PartitionConfiguration, placement: Placement = .single, catalogue: Catalogue,
    onFatal: @escaping @Sendable (String) -> Void
  ) {
    self.node = node
    self.catalogue = catalogue
    self.placement = placement
    dataDirectory = configuration.dataDirectory
    let first = FirstCall(onFatal)
    all = (0..<placement.count).map { number in
      Partition(node, configuration.of(PartitionID(rawValue: UInt16(number)), in: placement), catalogue: catalogue) {
        first($0)
      }
    }
    context =
      all.count == 1
      ? all[0].context
      : RuntimeContext(
        log: JointLog(all.map(\.context.log)) { [placement] in placement.partition(of: $0, in: catalogue) },
        time: node.time, timers: node.timers, lanes: node.lanes, limits: configuration.runtimeLimits
      ) { first($0) }
  }

  package var logger: Logger { node.logger }

  /// The one that an entity lies in.
  package subscript(entity: EntityID) -> Partition {
    all.count == 1 ? all[0] : all[placement.partition(of: entity, in: catalogue)]
  }

  // MARK: Who hosts what

  package func directory<State: RestorableState>(_ kind: EntityKind, of type: State.Type = State.self)
    -> EntityDirectory<State>
  {
    guard let card = catalogue[kind] else { preconditionFailure("a kind without a card: \(kind)") }
    return EntityDirectory(kind: kind, contexts: all.map(\.context)) { [placement] key in
      placement.partition(of: key, card)
    }
  }

  package func timers<Alarm: Hashable & Sendable>(_ type: Alarm.Type = Alarm.self) -> KeyedTimers<Alarm> {
    KeyedTimers(wheel: node.timers, time: node.time)
  }

  /// In the order in which their kinds are restored, and taken up within each phase.
  package func add(_ host: some KindHost) { admit(host) }

  /// As the other; its directory belongs to it from now on.
  package func add<Host: EntityHost>(_ host: Host) {
    bind(host)
    admit(host)
  }

  /// As the other; its timers, too.
  package func add<Host: AlarmedHost>(_ host: Host) {
    bind(host)
    let (kind, lanes) = (host.directory.kind, context.lanes)
    host.timers.bind { alarm, key in
      lanes[EntityID(kind, key).hashValue].enqueue { await host.fired(alarm, of: key) }
    }
    admit(host)
  }

  private func admit(_ host: any KindHost) {
    added.withLock { $0.append(host) }
    for partition in all { partition.add(host.source(in: partition.number)) }
  }

  private func bind<Host: EntityHost>(_ host: Host) {
    host.directory.bind(note: { host.note(of: $0) }) { await host.perform($0, of: $1) }
  }

  package var hosts: [any KindHost] { added.withLock { $0 } }

  // MARK: Running

  /// True while the disk has no room for a journal: changes are refused, and whatever only reads goes on.
  package var isStorageFull: Bool { all.contains(where: \.isStorageFull) }

  /// Runs what blocks on a thread of its own.
  package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await all[0].onThread(body)
  }

  /// See `Partition.putIdleToSleep`.
  @discardableResult
  package func putIdleToSleep(unusedFor sweeps: UInt32) async -> Int {
    var count = 0
    for partition in all { count += await partition.putIdleToSleep(unusedFor: sweeps) }
    return count
  }

  /// See `Partition.capturedStates`.
  package func capturedStates() async throws -> [EntityID: CapturedState] {
    var states: [EntityID: CapturedState] = [:]
    for partition in all { states.merge(try await partition.capturedStates()) { first, _ in first } }
    return states
  }
}

/// Calls only once, for whoever comes first.
private final class FirstCall: Sendable {
  private let wasCalled = Atomic<Bool>(false)
  private let body: @Sendable (String) -> Void

  init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

  func callAsFunction(_ text: String) {
    if !wasCalled.exchange(true, ordering: .acquiringAndReleasing) { body(text) }
  }
}
