public import EventSourcing

/// One chat of one service instance: parties, transcript, and where the customer is. The entity key is the service id.
///
/// Life of the instance:
/// ```
///   absent ──create──> created ──start──> live ──leave, close──> ended
///                         │                │                       │
///                         └────────────────┴── time to live ───────┴──> expired
/// ```
/// The customer's link while the chat is live, for chats that notify by Comet (others stay in NONE). Spec: GMS 6.2.
/// `GRACE` and its ten seconds belong to the Comet session; the chat hears `cometLost` when they have passed.
/// ```
///    NONE ────── subscribe (B1) ──────> ONLINE <──────── connect of a session (B13, B14) ────────┐
///      │                                  │                                                      │
///      │ disconnect                       │ disconnect (B6, B19), loss (6.6)                     │ from every
///      │                                  v                                                      │ BG state
///      └────────────────────────────> BG_QUIET ─── qualifying event, delay 0 (B8) ───┐           │
///                                         │                                          │           │
///                                         │ qualifying event, delay > 0 (B7)         │           │
///                                         v                                          v           │
///            qualifying event (B9) ┌─> BG_WAIT ──────── delay passes (B10) ─────> BG_PUSHED ──────┘
///                    is remembered └──────┘                                        one push for each event (B11)
///
///    customer leaves (B18): ENDED, no push          agent closes (B17): ENDED, after the push that is due
/// ```
public struct ChatSession: Decider, Equatable, Encodable {
  // The instance.
  public internal(set) var lifecycle = ChatLifecycle.absent
  public internal(set) var serviceName = ""
  /// Attached data, in the order in which the names first came.
  public internal(set) var data: [NameValuePair] = []
  /// When the instance was last used; its time to live counts from here.
  public internal(set) var lastUse = Timestamp.epoch
  /// The deadline of the time-to-live timer that runs; earlier than the true end if the instance was used meanwhile.
  var timeToLiveDeadline = Timestamp.epoch

  // The start of the chat.
  public internal(set) var startedAt = Timestamp.epoch
  /// The position that the start reply returned.
  public internal(set) var startPosition = 0
  public internal(set) var chatSessionID = ""
  /// Whose it is, from the instance's making or from the start; nil: the service id alone opens it.
  public internal(set) var userKey: String?
  /// It had a user, whose key was erased: nobody can say that it is theirs.
  public internal(set) var isUserErased = false
  public internal(set) var notifiesByComet = false
  /// The customer's app knows files; else it is shown their URLs.
  public internal(set) var takesFiles = false
  public internal(set) var subject = ""
  public internal(set) var pushTarget: PushTarget?
  public internal(set) var userID = ""
  public internal(set) var secureKey = ""

  // The conversation.
  /// Everybody who ever was in the chat; number 0 is the customer.
  public internal(set) var parties: [ChatParty] = []
  /// The numbers of the agents who are in the chat now, in the order in which they joined.
  var presentAgents: [Int] = []
  var transcript: [TranscriptEvent] = []
  var agentOnlyLines: [AgentOnlyLine] = []
  /// The highest position that a REST reply has given out.
  public internal(set) var servedPosition = 0

  // The customer's link.
  var links: [CometLink] = []
  /// A session has been active: the chat has left NONE for good.
  var hasBeenOnline = false
  /// What the customer has when no session is active: the start position, later P of the last background phase.
  public internal(set) var basePosition = 0
  /// The highest position that was written to a session which is gone.
  public internal(set) var writtenPosition = 0
  var background: BackgroundPhase?
  /// Background phases so far.
  public internal(set) var phaseCount = 0

  // Pushes.
  var lastPushNumber = 0
  /// Pushes that no queue has taken over yet, in order.
  public internal(set) var owedPushes: [ChatPush] = []

  /// `annotations`, where there are any.
  var aside: Aside<ChatAnnotations>?

  public init() {}

  public var isFinished: Bool { lifecycle == .expired }

  public var outstandingEffects: [ChatEffect] {
    guard lifecycle != .absent, lifecycle != .expired else { return [] }
    var effects = owedPushes.map { ChatEffect.push($0) }
    #if CARILLON_CANARIES
      if Canary.sings(.timerNotRearmed) { return effects }
    #endif
    if let background, case .waiting(let deadline) = background.stage {
      effects.append(.startTimer(.pushDelay(phase: background.number), at: deadline))
    }
    effects.append(.startTimer(.timeToLive, at: timeToLiveDeadline))
    if let offer { effects.append(.startTimer(.offer(until: offer.until), at: offer.until)) }
    return effects
  }
}

/// A line that only agents see, and its place among all lines, counted from 1.
struct AgentOnlyLine: Sendable, Equatable, Codable {
  let index: Int
  let line: TranscriptLine
}
