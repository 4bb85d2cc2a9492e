package import AuditEngine
import CallbackEngine
public import ChatDomain
import ChatEngine
import CometEngine
import ConsoleEngine
import EngineKit
import EntityRuntime
import EventSourcing
package import FileEngine
public import Journal
public import Logging
import MessagingEngine
import NotificationEngine
import PushDomain
import PushEngine
package import StandbyEngine
import StorageEngine
import SupportEngine

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
  public let cannedReplies: CannedReplies
  /// What became of the chats of a day.
  public let figures: FigureService
  public let devices: DeviceService
  public let couriers: CourierService
  public let messaging: MessagingService
  public let callbacks: CallbackService
  public let notifications: NotificationService
  public let storage: StorageService
  /// Files in chats.
  package let files: FileService
  public let support: SupportService
  /// Who is signed in to the console.
  public let console: ConsoleService
  public let redactions: Redactions
  package let audit: JournalAudit
  /// The journal as a log that strangers can check.
  package let evidence: EvidenceService
  /// Who copies the journal.
  package let standbys: StandbyService

  let node: Node
  let partitions: Partitions
  /// The one that has all that only one may have.
  var partition: Partition { partitions.all[0] }
  private let service: PartitionService
  let configuration: EngineConfiguration
  let feed: AgentFeed
  let queues: EntityDirectory<PushQueue>
  private let pushes: ChatPushes

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
    self.configuration = configuration
    node = Node(configuration.node, environment: environment, logger: logger)
    partitions = Partitions(
      node, configuration.partition, placement: configuration.placement, catalogue: .carillon, onFatal: onFatal)
    standbys = StandbyService(partitions.all[0], onRelieved: configuration.onRelieved)
    comet = CometGateway(
      partitions, settings: configuration.sessionSettings, requiresCookie: configuration.requiresCookie,
      requiresProof: configuration.requiresProof, extensions: configuration.cometExtensions,
      browsers: configuration.browserSettings, channelLimits: configuration.channelLimits)
    let push = PushFeature(partitions, comet: comet, providers: providers)
    let chat = ChatFeature(partitions, comet: comet, push: push)
    messaging = MessagingService(
      partitions, dispatcher: push.dispatcher, settings: configuration.messaging, isSender: configuration.isSender)
    let callback = CallbackFeature(partitions, push: push, chat: chat)
    callbacks = callback.callbacks
    notifications = NotificationService(partitions, dispatcher: push.dispatcher)
    storage = StorageService(
      partitions, instances: ServiceInstances(chats: chat.chats, callbacks: callbacks),
      bounds: configuration.storageLimits,
      blobs: BlobObserver(
        stored: { [standbys] in standbys.stored($0) }, removed: { [standbys] in standbys.removed() }))
    files = FileService(
      partitions, chats: chat.chats, agents: chat.agents, storage: storage, scanner: configuration.fileScanner)
    support = SupportService(
      partitions, dispatcher: push.dispatcher, providers: providers, chats: chat.chats, comet: comet, storage: storage,
      feed: chat.feed)
    console = ConsoleService(partitions)
    audit = JournalAudit(partitions)
    redactions = Redactions(partitions, audit: audit)
    evidence = EvidenceService(partitions.all[0], witnesses: configuration.witnesses)
    service = PartitionService(
      partitions,
      [
        comet, push, chat, messaging, callback, notifications, storage, files, support, console, redactions, evidence,
        standbys,
      ])
    chats = chat.chats
    agents = chat.agents
    cannedReplies = chat.cannedReplies
    figures = chat.figures
    feed = chat.feed
    pushes = chat.interpreter.pushes
    queues = push.dispatcher.queues
    devices = push.devices
    couriers = push.couriers
  }

  public var installations: InstallationService { messaging.installations }
  /// Devices' connections.
  public var deviceGateway: DeviceGateway { messaging.gateway }
  /// App servers' connections.
  public var appServers: AppServerGateway { messaging.gateway.upstream }
  /// The options in force; replaced as a whole when the operator reloads.
  public var options: OptionStore { node.options }
  /// Tells of refused attempts.
  public var security: SecurityLog { node.security }

  /// How much one answer to a list may hold.
  public var listMaximum: (agents: Int, operators: Int) { (node.limits.agentListMaximum, node.limits.listMaximum) }

  /// Why the pushes of a chat can reach nobody at this address, as the options stand; nil if they can.
  public func obstacle(_ target: PushTarget, ofChat serviceID: String) -> String? {
    pushes.obstacle(target, of: serviceID)
  }

  // MARK: Running

  /// False during recovery, and from the beginning of a graceful stop.
  public var isReady: Bool { node.isReady }

  /// True while the disk has no room for the journal: changes are refused, and whatever only reads goes on.
  public var isStorageFull: Bool { partitions.isStorageFull }

  /// Asks whether the engine still works, for whoever would end it otherwise: `answered` is called once timers and lanes
  /// have moved since, and never while they stand still.
  public func pulse(_ answered: @escaping @Sendable () -> Void) { node.pulse(answered) }

  /// Opens the journal, rebuilds all state and takes up what is owed.
  /// - Parameter purpose: what for; see `RecoveryPurpose`.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do.
  public func recover(for purpose: RecoveryPurpose = .service) async throws -> RecoverySummary {
    let summary = try await service.recover(for: purpose)
    if purpose == .service { node.becomeReady() }
    return summary
  }

  /// Runs the engine's own tasks until `stop`. To be running before `recover` is awaited.
  public func run() async { await node.run([service]) }

  /// Graceful stop, part 1: answers what is held, ends the agents' streams, takes no new sessions. Idempotent.
  public func drain() async { await node.drain([service]) }

  /// Graceful stop, part 2: waits for effects and pushes under way, at most `grace`, then syncs and closes the journal.
  public func stop(grace: Duration) async { await node.stop([service], grace: grace) }

  // MARK: Keeping house

  /// Lets entities leave memory that were not used during the last `sweeps` sweeps, owe nothing and wait for nothing.
  /// - Returns: how many fell asleep.
  @discardableResult
  public func putIdleToSleep(unusedFor sweeps: UInt32) async -> Int {
    await partitions.putIdleToSleep(unusedFor: sweeps)
  }

  /// Writes a snapshot of each partition beside the running service, verifies it, and lets older ones go.
  /// - Throws: `StorageError`, `SnapshotError`, or `EventLogError` if the journal has failed.
  @discardableResult
  public func snapshotNow() async throws -> SnapshotSummary { try await partitions.snapshotNow() }

  /// The tree over the journal's records, by which strangers can check its history.
  public var tree: JournalTree { partition.tree }
}
