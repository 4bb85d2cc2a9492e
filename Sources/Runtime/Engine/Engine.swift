import Bayeux
import CallbackDomain
import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
public import Logging
import PushDomain
import SupportDomain
import Synchronization
import SystemPackage

/// The application below the edge: which entities live, how they are found, and who carries out what they want done.
///
/// ```
///  edge ─> CometGateway ─> CometSession ─┐           ┌─> ChatInterpreter ─> sessions, agents, timers
///  edge ─> ChatService ──> ChatSession ──┼─> journal ┤
///  edge ─> AgentService ─> ChatSession ──┘  (durable)└─> PushDispatcher ──> PushQueue ─> couriers
/// ```
public final class Engine: Sendable {
  public let comet: CometGateway
  public let chats: ChatService
  public let agents: AgentService
  public let devices: DeviceService
  public let couriers: CourierService
  public let installations: InstallationService
  public let messaging: MessagingService
  public let callbacks: CallbackService
  public let notifications: NotificationService
  public let storage: StorageService
  public let support: SupportService
  /// Tells of refused attempts.
  public let security: SecurityLog
  /// Devices' connections.
  public let deviceGateway: DeviceGateway
  /// App servers' connections.
  public let appServers: AppServerGateway
  /// The options in force; replaced as a whole when the operator reloads.
  public let options: OptionStore

  let configuration: EngineConfiguration
  let context: RuntimeContext
  let log: JournalLog
  let outbox: Lane
  let tasks: TaskPool
  let pushTasks: TaskPool
  let queues: EntityDirectory<PushQueue>
  let deadLetters = DeadLetterIndex()
  let desks: EntityDirectory<AgentDesk>
  let redactions: EntityDirectory<RedactionLog>
  let feed: AgentFeed
  let interpreter: ChatInterpreter
  let callbackInterpreter: CallbackInterpreter
  let logger: Logger
  let onFatal: @Sendable (String) -> Void
  let environment: EngineEnvironment
  let journal: JournalHolder
  let identifiers: Identifiers
  let housekeeper = Housekeeper()
  let snapshots: SnapshotStore
  let spill: SleepingStates
  /// Reads the journal beside the writer.
  let reader: JournalReader
  let segmentRedaction: SegmentRedaction
  let redactionIntent: RedactionIntent
  let redactionBoard = RedactionBoard(maximum: 100)
  let metrics = EngineMetrics()
  /// Where the snapshots begin that this process knows of and that are kept, oldest first.
  let snapshotPoints = Mutex<[JournalPoint]>([])
  private let ready = Atomic<Bool>(false)
  private let draining = Atomic<Bool>(false)

  /// Nothing is read yet: every operation throws `.unavailable` until `recover`.
  /// - Parameter onFatal: called once if the journal fails; the process is to end at once.
  public convenience init(
    configuration: EngineConfiguration, providers: @escaping ProviderLookUp, logger: Logger,
    onFatal: @escaping @Sendable (_ description: String) -> Void
  ) {
    self.init(
      configuration: configuration, environment: EngineEnvironment(), providers: providers, logger: logger,
      onFatal: onFatal)
  }

  /// As the other, in a world of the caller's.
  package init(
    configuration: EngineConfiguration, environment: EngineEnvironment, providers: @escaping ProviderLookUp,
    logger: Logger, onFatal: @escaping @Sendable (_ description: String) -> Void
  ) {
    self.environment = environment
    journal = JournalHolder(isStepped: environment.isStepped)
    identifiers = Identifiers(randomBytes: environment.randomBytes)
    self.configuration = configuration
    snapshots = SnapshotStore(directory: configuration.journalDirectory, storage: environment.storage)
    reader = JournalReader(
      directory: configuration.journalDirectory, archive: configuration.journal.archiveDirectory,
      storage: environment.storage)
    segmentRedaction = SegmentRedaction(
      directory: configuration.journalDirectory, archive: configuration.journal.archiveDirectory,
      storage: environment.storage)
    redactionIntent = RedactionIntent(directory: configuration.journalDirectory, storage: environment.storage)
    spill = SleepingStates(
      directory: configuration.dataDirectory.appending("asleep"), storage: environment.storage)
    self.logger = logger
    self.onFatal = onFatal
    options = OptionStore(configuration.options)
    outbox = Lane()
    log = JournalLog(outbox: outbox)
    let time = environment.time
    let wheel = TimerWheel(time: time)
    context = RuntimeContext(
      log: log, time: time, timers: wheel, lanes: Lanes(count: configuration.laneCount),
      limits: configuration.runtimeLimits, onLostState: onFatal)
    tasks = TaskPool(limit: configuration.limits.tasksMaximum)
    pushTasks = TaskPool(limit: configuration.limits.pushTasksMaximum)
    security = SecurityLog(logger: logger) { time.monotonicMilliseconds }
    feed = AgentFeed(limits: configuration.limits, firstNumber: UInt64(max(0, time.now.milliseconds)) << 16)

    comet = CometGateway(
      context: context, tasks: tasks, identifiers: identifiers, settings: configuration.sessionSettings,
      limits: configuration.limits, requiresCookie: configuration.requiresCookie,
      requiresProof: configuration.requiresProof, security: security)
    let lateInterpreter = Late<ChatInterpreter>()
    let chatDirectory = EntityDirectory<ChatSession>(
      kind: .chatSession, context: context, note: { ChatNote($0).bytes }
    ) { effects, chat in
      await lateInterpreter.value.perform(effects, of: chat)
    }
    chats = ChatService(
      directory: chatDirectory, index: ChatIndex(), comet: comet.directory, options: options,
      limits: configuration.limits, nodeNumber: configuration.nodeNumber, identifiers: identifiers)
    let lateDispatcher = Late<PushDispatcher>()
    let lateMessaging = Late<MessagingService>()
    queues = EntityDirectory<PushQueue>(kind: .pushQueue, context: context, note: { DeadLetterIndex.note($0) }) {
      effects, queue in
      await lateDispatcher.value.perform(effects, of: queue)
      await lateMessaging.value.perform(effects, of: queue)
    }
    let courierMetrics = CourierMetrics()
    let lateDevices = Late<DeviceService>()
    let deviceDirectory = EntityDirectory<Device>(kind: .device, context: context, note: { DeviceNote($0).bytes }) {
      effects, device in await lateDevices.value.perform(effects, of: device)
    }
    let lateEvents = Late<OperatorEvents>()
    devices = DeviceService(
      directory: deviceDirectory, index: DeviceIndex(), queues: queues, context: context, limits: configuration.limits,
      metrics: courierMetrics, events: lateEvents)
    lateDevices.set(devices)
    let random: @Sendable () -> Double = { [randomBytes = environment.randomBytes] in
      var bits: UInt32 = 0
      withUnsafeMutableBytes(of: &bits) { randomBytes($0) }
      return Double(bits) / Double(UInt32.max)
    }
    let lanes = CourierLanes(
      context: context, limits: configuration.limits, random: random, metrics: courierMetrics, logger: logger)
    let notificationIDs = NotificationIDs(randomBytes: environment.randomBytes)
    let cometCourier = CometCourier(gateway: comet, lanes: lanes, ids: notificationIDs, context: context)
    comet.attach(cometCourier)
    let lateSupport = Late<SupportService>()
    let webhooks = SupportWebhooks(options: options, providers: providers)
    let supportCourier = SupportCourier(webhooks: webhooks, service: lateSupport)
    let dispatcher = PushDispatcher(
      queues: queues, devices: devices, chats: chats, options: options,
      providers: { type in
        switch type {
        case CometCourier.type: cometCourier
        case let type where SupportCourier.all.contains(type): supportCourier
        default: providers(type)
        }
      }, lanes: lanes,
      timers: KeyedTimers(wheel: wheel, time: time, firing: PushDispatcher.timerFired(queues, options, context)),
      context: context, tasks: pushTasks, limits: configuration.limits, metrics: courierMetrics,
      deadLetters: deadLetters, waiters: PushWaiters(), underWay: KeysUnderWay(), events: lateEvents,
      random: random, logger: logger)
    lanes.attach(
      start: { lateDispatcher.value.startAttempt($0, $1) }, refuse: { lateDispatcher.value.refuse($0, $1, $2) },
      disabled: { [pushTasks] lane, reason in
        _ = pushTasks.spawn { await lateEvents.value.endpointDisabled(lane, reason: reason) }
      })
    lateDispatcher.set(dispatcher)
    lateEvents.set(OperatorEvents(dispatcher: dispatcher, identifiers: identifiers))
    couriers = CourierService(dispatcher: dispatcher, identifiers: identifiers)
    let installationDirectory = EntityDirectory<Installation>(
      kind: .installation, context: context, note: { InstallationNote($0).bytes }
    ) { effects, device in await lateMessaging.value.installations.perform(effects, of: device) }
    let groupDirectory = EntityDirectory<DeviceGroup>(
      kind: .deviceGroup, context: context, note: { GroupIndex.note($0) }
    ) { effects, group in await lateMessaging.value.perform(effects, of: group) }
    let broadcastDirectory = EntityDirectory<Broadcast>(kind: .broadcast, context: context) { effects, broadcast in
      await lateMessaging.value.broadcasts.perform(effects, of: broadcast)
    }
    messaging = MessagingService(
      installations: installationDirectory, groups: groupDirectory, broadcasts: broadcastDirectory, queues: queues,
      dispatcher: dispatcher, configuration: configuration, identifiers: identifiers, context: context,
      itself: lateMessaging)
    lateMessaging.set(messaging)
    installations = messaging.installations
    deviceGateway = messaging.gateway
    appServers = messaging.gateway.upstream
    let lateCallbacks = Late<CallbackInterpreter>()
    desks = EntityDirectory<AgentDesk>(kind: .agent, context: context, note: { AgentDesk.note($0) }) { effects, desk in
      await lateCallbacks.value.perform(effects, of: desk)
    }
    redactions = EntityDirectory<RedactionLog>(kind: .redactionLog, context: context) { _, _ in }
    agents = AgentService(chats: chats, desks: desks, feed: feed, context: context)
    let callbackDirectory = EntityDirectory<Callback>(
      kind: .callback, context: context,
      note: { [options] callback in
        let options = options.current
        return CallbackNote(callback) { options.lookupKeys(ofCallback: $0).all }.bytes
      }
    ) { effects, callback in await lateCallbacks.value.perform(effects, of: callback) }
    let callbackIndex = CallbackIndex()
    let callbackMetrics = CallbackMetrics()
    let router = CallbackRouter(limits: configuration.limits, context: context, tasks: tasks) {
      [options] agentID, id in
      guard let callback = callbackDirectory[id] else { return false }
      let policy = await options.policy(of: callback)
      do throws(TurnError<CallbackRejection>) {
        return try await callback.perform(CallbackCommand(.agentAvailable(agentID: agentID), policy: policy)) {
          $0.agentID == agentID
        }
      } catch {
        guard case .rejected = error else { return nil }
        return false
      }
    }
    callbackInterpreter = CallbackInterpreter(
      directory: callbackDirectory, index: callbackIndex, router: router, desks: desks, feed: feed, pushes: dispatcher,
      timers: KeyedTimers(
        wheel: wheel, time: time,
        firing: CallbackInterpreter.alarmed(callbackDirectory, options, context)),
      options: options, context: context, metrics: callbackMetrics, logger: logger)
    lateCallbacks.set(callbackInterpreter)
    callbacks = CallbackService(
      directory: callbackDirectory, index: callbackIndex, router: router, grids: SlotGrids(options), options: options,
      chats: chats, desks: desks, context: context, limits: configuration.limits, identifiers: identifiers,
      metrics: callbackMetrics)
    dispatcher.producers.register(CallbackInterpreter.producerPrefix) { [callbacks] key, number in
      await callbacks.handedOver(key, number)
    }
    notifications = NotificationService(
      dispatcher: dispatcher, identifiers: identifiers, context: context, limits: configuration.limits)
    storage = StorageService(
      blobs: BlobStore(
        directory: configuration.dataDirectory.appending("blobs"), storage: environment.storage, journal: journal,
        byteCountMaximum: configuration.limits.storedBytesMaximum, logger: logger),
      instances: ServiceInstances(chats: chats, callbacks: callbacks), tasks: tasks, identifiers: identifiers,
      context: context, limits: configuration.limits)
    let support = SupportService(
      dispatcher: dispatcher,
      index: SupportIndex { [options] device in
        options.supportApp(device.app)?.directAddress(of: device.key).map { DeviceKey.of($0) }
      }, webhooks: webhooks, comet: comet, storage: storage, feed: feed, tasks: tasks,
      identifiers: identifiers, logger: logger, service: lateSupport)
    self.support = support
    comet.attach(
      SupportStreams(
        endUser: { support.endUser(bearing: $0)?.number },
        mayFollow: { await support.mayFollow(user: $0, request: $1) },
        acknowledged: { await support.acknowledged(user: $0, request: $1, comment: $2, identifier: $3) }))
    interpreter = ChatInterpreter(
      service: chats, comet: comet.directory, agents: feed, pushes: dispatcher,
      timers: KeyedTimers(wheel: wheel, time: time), context: context, channel: comet.policy.eventChannel,
      follow: { [callbacks] id, isGone in
        if isGone { await callbacks.chatIsGone(id) } else { await callbacks.chatChanged(id) }
      })
    lateInterpreter.set(interpreter)
    comet.attach(chats)
    comet.attach(interpreter)
  }

  /// How much one answer to a list may hold.
  public var listMaximum: (agents: Int, operators: Int) {
    (configuration.limits.agentListMaximum, configuration.limits.listMaximum)
  }

  /// The entities that sleep when nobody asks for them.
  var shelves: [any SleepingSource] {
    [
      chats.directory, queues, desks, redactions, devices.directory, installations.directory, messaging.groups,
      messaging.broadcasts.broadcasts, callbacks.directory, notifications.directory, storage.directory,
      support.requests, support.users, support.apps,
    ]
  }
  /// All that a snapshot holds.
  var sources: [any SnapshotSource] { shelves + [comet.directory] }

  /// False during recovery, and from the beginning of a graceful stop.
  public var isReady: Bool { ready.load(ordering: .acquiring) }

  /// True while the disk has no room for the journal: changes are refused, and whatever only reads goes on.
  public var isStorageFull: Bool { journal.writer?.isStorageFull ?? false }

  /// Recovery is over, unless a stop began meanwhile.
  func becomeReady() {
    guard !draining.load(ordering: .acquiring) else { return }
    ready.store(true, ordering: .releasing)
  }

  /// Runs the engine's own tasks until `stop`. To be running before `recover` is awaited.
  public func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [outbox] in await outbox.run() }
      group.addTask { [context] in await context.lanes.run() }
      group.addTask { [tasks] in await tasks.run() }
      group.addTask { [pushTasks] in await pushTasks.run() }
      group.addTask { [messaging] in await messaging.broadcasts.lane.run() }
      let keeping = environment.isStepped ? nil : Task { await self.keepHouse() }
      let ticking = environment.isStepped ? nil : Task { [context] in await context.timers.run() }
      group.addTask { [journal] in
        await journal.untilStopped()
        ticking?.cancel()
        keeping?.cancel()
        await ticking?.value
        await keeping?.value
      }
    }
  }

  /// Graceful stop, part 1: answers what is held, ends the agents' streams, takes no new sessions. Idempotent.
  public func drain() async {
    ready.store(false, ordering: .releasing)
    guard draining.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return
    }
    await comet.stop()
    feed.finish()
    couriers.stopDeadLetterReplay()
    messaging.drain()
  }

  /// Graceful stop, part 2: waits for effects and pushes under way, at most `grace`, then syncs and closes the journal.
  public func stop(grace: Duration) async {
    await drain()
    let deadline = context.time.monotonicMilliseconds + grace.wholeMilliseconds
    while tasks.count + pushTasks.count > 0, context.time.monotonicMilliseconds < deadline {
      await context.timers.sleep(milliseconds: context.timers.tickMilliseconds)
    }
    // A log that refuses has nothing to wait for.
    try? await context.untilDurable()
    context.lanes.finish()
    tasks.finish()
    pushTasks.finish()
    messaging.broadcasts.lane.finish()
    do { try await journal.close() } catch { logger.error("the journal did not close cleanly: \(error)") }
    outbox.finish()
    journal.stopped()
  }
}
