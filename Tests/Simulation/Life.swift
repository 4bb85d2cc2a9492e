import Engine
import EventSourcing
import Journal
import Logging
import PushDomain
import SimulatedDisk
import SystemPackage

/// One process: an engine on the disk, from its start to its end.
///
/// Safe to share: the whole simulation is one thread.
final class Life: @unchecked Sendable {
  let number: Int
  let engine: Engine
  let disk: MemoryDisk
  /// Killed, stopped or out of order: nothing that it still does reaches anybody.
  var isOver = false
  /// Its journal has failed; the process is about to end.
  var failure: String?
  var isReady = false
  var isStopping = false
  var hasStopped = false
  /// The disk has been full during this life.
  var hasBeenFull = false
  /// The world's `run` and `recover` have come back.
  var recovery: Result<RecoverySummary, any Error>?
  var isRunOver = false
  /// Attempts that this process has made.
  var attempts: Set<Attempt> = []
  let courier: SimulatedCourier
  /// Where notifications of support requests go.
  let receivers: SimulatedCourier

  struct Attempt: Hashable {
    let id: PushID
    let number: Int
    /// Times that it came back without counting.
    let returns: Int
  }

  init(number: Int, disk: MemoryDisk, world: World) {
    self.number = number
    self.disk = disk
    var configuration = EngineConfiguration(dataDirectory: World.dataDirectory)
    configuration.options = world.options
    configuration.placement = world.placement
    // Few, so that there is more than one piece.
    configuration.limits.broadcastChunk = 3
    configuration.limits.targetsAtOnce = 4
    configuration.limits.appServerPendingMaximum = SimulatedServices.appServerPendingMaximum
    configuration.journal.segmentByteCount = world.segmentByteCount
    configuration.journal.isStepped = true
    configuration.journal.clock = { [time = world.time] in time.now.milliseconds }
    configuration.journal.randomBytes = { world.fill($0) }
    var environment = EngineEnvironment()
    environment.time = world.time
    environment.storage = disk
    environment.randomBytes = { world.fill($0) }
    environment.isStepped = true
    let courier = SimulatedCourier(world, types: [SimulatedServices.pushType])
    let receivers = SimulatedCourier(world, types: SimulatedServices.supportTypes)
    self.courier = courier
    self.receivers = receivers
    let failed = FailureFlag()
    engine = Engine(
      configuration: configuration, environment: environment,
      providers: { type in [courier, receivers].first { $0.types.contains(type) } },
      logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, onFatal: { failed.life?.fail($0) })
    failed.life = self
    courier.life = self
    receivers.life = self
  }

  func answerSome() {
    courier.answerSome()
    receivers.answerSome()
  }

  func answerAll() {
    courier.answerAll()
    receivers.answerAll()
  }

  /// It may say that it can do nothing at the moment.
  var mayRefuse: Bool { hasBeenFull || failure != nil || isStopping }

  private func fail(_ reason: String) { failure = failure ?? reason }
}

/// Leads from the engine, which is made first, to its life. Safe to share: as `Life`.
private final class FailureFlag: @unchecked Sendable {
  weak var life: Life?
}
