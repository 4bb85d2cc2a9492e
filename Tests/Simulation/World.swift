import Engine
import EntityRuntime
import EventSourcing
import PushDomain
import SimulatedDisk
import SupportDomain
import SystemPackage

/// The whole service below the edge, and everybody around it, on one thread: customers, agents, providers, the clock
/// and the disk.
///
/// ```
///  seed ─> chance ─> what happens next ─┬─> engine (one life after the other) ─> sinks, providers, streams
///                                       ├─> disk: durable, lost, full, failing        │ each hand-over is checked
///                                       └─> clock, network, crashes                    v
///                     journal's files ──> mirror ──> reference (what is certain) ──> invariants
/// ```
/// Safe to share: the whole simulation is one thread.
final class World: @unchecked Sendable {
  static let dataDirectory: FilePath = "/data"
  /// A session that nobody hears of for so long, with a tick to spare, is over.
  static let sessionGraceMilliseconds: Int64 = 10_100
  static let customerCount = 6
  static let deviceCount = 4

  let seed: UInt64
  let segmentByteCount: Int
  let time = SimulatedTime()
  var chance: Chance
  var trace: Trace
  private(set) var violation: Violation?
  private(set) var step = 0
  /// Providers answer at once and take everything; nothing fails any more.
  var isHonest = false
  /// Customers ask to be forgotten.
  let redacts: Bool
  /// How much of what happens has to do with messages; the rest with chats.
  let messagingPercent: Int
  /// How much of the rest has to do with callbacks.
  let callbackPercent: Int
  /// How much of everything has to do with support requests.
  let supportPercent: Int
  /// A helpdesk is told of them.
  let reportsSupport: Bool
  /// Somebody has asked for it.
  var hasRedacted = false

  var disk: MemoryDisk
  var life: Life?
  var lifeCount = 0
  /// In which partition an entity lies.
  let placement: Placement
  var mirror: JournalMirrors
  var reference = Reference()
  /// Set while the disk is in the middle of a write.
  var isInsideWrite = false
  /// The process dies after so many moments of writing; what is left of the disk is drawn then.
  var armedCrash: ArmedCrash?
  /// What the armed crash left.
  var survivor: MemoryDisk?

  var customers: [Customer] = []
  var callbackBooks: [CallbackBook] = []
  var supportPeople: [SupportPerson] = []
  /// How the apps' notifications go out.
  var integrations: [String: SupportIntegration] = [:]
  /// Pushes that a receiver has said it has.
  var takenIn: Set<PushID> = []
  /// The id on the wire that each notification was seen under.
  var wireIDs: [PushID: String] = [:]
  /// What agents were last shown of each request.
  var shownRequests: [Int64: SupportRequestView] = [:]
  /// Requests whose making was answered.
  var acknowledgedRequests: Set<String> = []
  var agents: [SimulatedAgent] = []
  let console: SimulatedConsole
  var devices: [SimulatedDevice] = []
  var appServers: [SimulatedAppServer] = []
  /// Registration tokens that were ever given out, also those that have ended.
  var tokens: [GivenToken] = []
  var groups: [GivenGroup] = []
  /// Counts the moments at which nothing was under way.
  var epoch = 0
  /// The effects of all records before this place were performed by this life: of all that have come from the same
  /// journal as far as is known, which is everything where there is one, and else what is of one mailbox.
  var performedUpTo: [String: UInt64] = [:]
  private var deviceNumber = 0
  private var books: [String: ChatBook] = [:]
  private var customerNumber = 0
  /// Requests of this life that have no answer yet.
  var openRequests: [Int: String] = [:]
  /// Requests that ever began.
  var requestsBegun = 0
  private var requestNumber = 0
  /// Texts that the server has acknowledged, and the chat of each.
  var acknowledged: [String: String] = [:]
  var textNumber = 0
  var orderNumber = 0
  /// Pushes that queues were handed beside the chats since the last rest, and the life that handed them over.
  var ordered: [PushID: Int] = [:]
  /// Ids and salts; apart from `chance`, so that the order of jobs alone decides what the engine draws.
  private var secrets: Chance
  var lastFullness: Int64 = 0
  var counts = Counts()

  /// What a run has done, to see that it has done something.
  struct Counts {
    var commands = 0
    var crashes = 0
    var restarts = 0
    var deliveries = 0
    var news = 0
    var acknowledged = 0
    var expiredChats = 0
    var callbacks = 0
    var snapshots = 0
    /// Trees that were compared with the records'.
    var trees = 0
    var sleepers = 0
    var redactions = 0
    var mails = 0
    var mailsAcknowledged = 0
    var upstream = 0
    var broadcasts = 0
    var notices = 0
    var requests = 0
    var comments = 0
    var told = 0
    var refreshed = 0
  }

  struct ArmedCrash {
    var moments: Int
    var losesPower: Bool
  }

  /// - Parameters:
  ///   - partitions: journals.
  ///   - segmentByteCount: of each; nil: one of two that the seed draws.
  init(seed: UInt64, partitions: Int = 1, isLoud: Bool = false, segmentByteCount: Int? = nil) {
    self.seed = seed
    placement = partitions == 1 ? .single : Placement(count: partitions, seed: seed)
    mirror = JournalMirrors(directories: placement.journalDirectories(below: Self.dataDirectory))
    redacts = seed % 4 == 0
    messagingPercent = seed % 3 == 0 ? 20 : 80
    callbackPercent = seed % 2 == 0 ? 60 : 15
    supportPercent = seed % 5 < 2 ? 55 : 12
    reportsSupport = seed % 7 < 2
    chance = Chance(seed: seed)
    console = SimulatedConsole(seed: seed)
    secrets = Chance(seed: seed ^ 0x5EC2_E75A_17ED_0001)
    trace = Trace(isLoud: isLoud)
    SeededExecutor.begin(seed: seed &* 0x9E37_79B9_7F4A_7C15)
    // Large enough for one record with all that waits for a device.
    let drawn = chance.comes(50) ? 262_144 : 524_288
    self.segmentByteCount = segmentByteCount ?? drawn
    disk = MemoryDisk(sectorByteCount: chance.comes(50) ? 512 : 4_096)
    for _ in 0..<Self.customerCount { addCustomer() }
    for _ in 0..<Self.deviceCount { addDevice() }
    appServers = SimulatedServices.senders.map { SimulatedAppServer(world: self, sender: $0) }
    addSupport()
    agents = (1...3).map { SimulatedAgent(world: self, number: $0) }
  }

  func fill(_ bytes: UnsafeMutableRawBufferPointer) { secrets.fill(bytes) }

  func addCustomer() {
    customerNumber += 1
    let device = chance.comes(80) ? "device-\(chance.comes(70) ? customerNumber : 0)" : nil
    customers.append(Customer(number: customerNumber, deviceID: device, world: self))
  }

  func addDevice() {
    deviceNumber += 1
    devices.append(SimulatedDevice(world: self, number: deviceNumber))
  }

  func book(of serviceID: String) -> ChatBook? { books[serviceID] }
  func enter(_ book: ChatBook, as serviceID: String) { books[serviceID] = book }

  /// Notes a broken promise; the first one counts.
  func violated(_ invariant: Invariant, _ detail: String) {
    guard violation == nil else { return }
    violation = Violation(invariant: invariant, detail: detail, step: step)
    trace.note("VIOLATED: \(invariant.rawValue): \(detail)")
  }

  func violated(by error: any Error, _ invariant: Invariant) {
    if let failure = error as? Failure {
      violated(failure.invariant, failure.detail)
    } else {
      violated(invariant, "\(error)")
    }
  }

  // MARK: A run

  /// Lives through `commands` steps, and stands in the middle of life.
  func live(commands: Int) {
    trace.begin(0, "the server starts")
    restart()
    while step < commands, violation == nil {
      step += 1
      takeStep()
      counts.commands += 1
    }
  }

  /// Lives through `commands` steps and the end of all things.
  func run(commands: Int) {
    live(commands: commands)
    guard violation == nil else { return }
    step += 1
    trace.begin(step, "the end")
    comeToRest()
    if let life { bury(life) }
    life = nil
  }

  /// Starts a request to the engine; `body` runs on the simulated thread like everything else.
  func start(_ name: String, in life: Life, _ body: @escaping @Sendable (Engine) async -> Void) {
    requestNumber += 1
    let number = requestNumber
    openRequests[number] = name
    requestsBegun += 1
    Task.detached { [self] in
      await body(life.engine)
      if !life.isOver { openRequests[number] = nil }
    }
  }

  /// Starts a request that has an answer; `then` is told it, unless the process dies before.
  deinit {
    // What the engine still has in hand is handed to nobody.
    life?.isOver = true
  }

  func ask<Answer: Sendable>(
    _ name: String, in life: Life, _ body: @escaping @Sendable (Engine) async throws -> Answer,
    then: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    start(name, in: life) { [self] engine in
      let result: Result<Answer, any Error>
      do { result = .success(try await body(engine)) } catch { result = .failure(error) }
      guard !life.isOver else { return }
      learn()
      switch result {
      case .success: trace.note("\(name): done")
      case .failure(let error):
        trace.note("\(name): \(error)")
        judge(error, of: name, in: life)
      }
      then(result)
    }
  }

  /// A refusal has to have a reason that the world knows of.
  private func judge(_ error: any Error, of name: String, in life: Life) {
    if let error = error as? InstallationFailure, error == .unavailable, !life.mayRefuse {
      violated(.honestAnswers, "\(name): \(error)")
    }
    if let error = error as? GroupFailure, error == .unavailable, !life.mayRefuse {
      violated(.honestAnswers, "\(name): \(error)")
    }
    if let error = error as? SupportFailure {
      switch error {
      case .unavailable, .storageFull, .limitReached:
        if !life.mayRefuse { violated(.honestAnswers, "\(name): \(error)") }
      case .unknownApp, .identityMismatch, .agentEmail, .tooLarge, .missing, .quota:
        violated(.honestAnswers, "\(name): \(error)")
      case .replayed, .notFound, .invalid, .request: break
      }
    }
    guard let error = error as? EngineError else { return }
    let isExcused: Bool =
      switch error {
      case .refused: true
      case .unavailable: life.failure != nil || life.isStopping
      case .storageFull: life.hasBeenFull
      case .limitReached: life.hasBeenFull
      case .unknownDeadLetter, .invalid: true
      case .unknownServiceName, .unknownDevice, .missing: false
      }
    if !isExcused { violated(.honestAnswers, "\(name): \(error)") }
  }
}
