/// One client's session from its handshake to its end: which request is held, what is queued, which clock runs.
///
/// ```
///  handshaken()         first connect            reply written, or failed        timer
/// ─────────▶ HANDSHAKEN ─────────────▶ ANSWERING ────────────────────────▶ GRACE ─────▶ ENDED
///                │ timer                ▲   ▲ ▲      connect, with events   │ │ ▲
///                ▼                      │   └─┼─────────────────────────────┘ │ │
///              ENDED      newer connect │     │ event, timer                  │ │ client left
///                            (the older)│     │        connect, nothing queued▼ │
///                                       └─────┴─────────────────────────────HOLDING
/// ```
///
/// - HOLDING: a connect waits; the timer is the hold time.
/// - ANSWERING: its reply is on its way; no timer runs here, the writer has a deadline of its own.
/// - GRACE: nothing waits; the timer is `maxInterval` and the interval the client asked for.
/// - A disconnect or an overflow leads to ENDED from everywhere. On a WebSocket events flow in all states and leave the
///   hold alone.
///
/// A value without I/O: it is told what happened and says what to do, in order. It relies on its owner for:
/// one `.written` for every `.respond`, in the order of the responds of that exchange; no `.timerElapsed` of a timer
/// that has been re-armed since.
///
/// Events are kept until they are known to be written (with the acknowledgment extension: acknowledged). What could not
/// be written goes back to where it stood in the queue. Spec: GMS 4.3-4.5, 4.9, 6.2 B2-B5; Bayeux 1.0, connect.
public struct BayeuxSession: Sendable {
  public let clientID: String
  let settings: SessionSettings
  /// The acknowledgment extension is on: events leave with connect replies only, and count as delivered when a later
  /// connect says so. Spec: Bayeux reference, 16.
  public let acknowledges: Bool

  /// Has made its first connect.
  public internal(set) var isConnected: Bool
  /// Over; only requests are still answered, with 402.
  public internal(set) var isEnded = false
  var isStopping = false
  // Flags stand together: there is a session for each client, and a flag alone between words takes a word.
  /// The session's timer runs.
  var isArmed = false
  /// The next connect reply carries advice, whether or not the request asks for it.
  var owesAdvice = true
  /// What was written last may not have come. A connect of the client shows whether it has; the answer to another request,
  /// which may have crossed it, must not take along what comes after it, nor may a socket that the client has moved to.
  /// To be said before each request.
  public var isInDoubt = false
  /// The client's browser has as many held polls as it may: a connect by polling is not held. To be said before each
  /// request. Spec: Bayeux 1.0, "Multiple clients operation".
  public var isSurplus = false
  /// After a restart no connection is left that could tell whether what was written last has come: until a connect of the
  /// client has shown it, nothing that comes after it goes out, over a socket neither.
  var awaitsConnect = false

  var held: HeldConnect?
  /// The socket that events are written to as they come; nil for long polling.
  var socket: ExchangeID?
  /// Requests announced by ``requestBegan(_:)`` and not yet answered.
  var open: [ExchangeID] = []
  /// What the running or next grace timer is to last.
  var graceMilliseconds: Int

  var queue: [QueuedEvent] = []
  /// Responses whose outcome is not known yet, in the order they were handed out.
  var flights: [Flight] = []
  /// Sent with a connect reply and not acknowledged yet, in order.
  var unacknowledged: [QueuedEvent] = []
  /// The numbers of the batches that connect replies close.
  var numbers = BatchNumbers()
  /// The first connect after a restart tells which batch numbers the client has seen already.
  var learnsBatch = false
  /// Marks of events that are written while an earlier one is not: reporting them would hide the gap.
  var writtenEarly: [(serial: UInt64, mark: DeliveryMark)] = []
  var nextSerial = Self.middleSerial
  /// The place of the first event that was put before all others.
  var firstSerial = Self.middleSerial
  private static let middleSerial: UInt64 = 1 << 32
  /// Everything not yet delivered, wherever it is: what the bounds of the queue apply to.
  var pendingMessages = 0
  var pendingBytes = 0

  /// A session whose handshake is being answered.
  public init(clientID: String, settings: SessionSettings, acknowledges: Bool) {
    self.clientID = clientID
    self.settings = settings
    self.acknowledges = acknowledges
    isConnected = false
    graceMilliseconds = settings.maxIntervalMilliseconds
  }

  /// A session rebuilt after a restart: nothing held, nothing queued.
  /// - Parameters:
  ///   - delivered: the position of each chat that the client is known to have.
  ///   - isInDoubt: what was written last may not have come.
  public init(
    restoring clientID: String, settings: SessionSettings, acknowledges: Bool, isConnected: Bool,
    delivered: [String: Int] = [:], isInDoubt: Bool = false
  ) {
    self.init(clientID: clientID, settings: settings, acknowledges: acknowledges)
    self.isConnected = isConnected
    awaitsConnect = isInDoubt
    learnsBatch = true
    numbers = BatchNumbers(delivered: delivered)
  }

  /// A connect waits for something to deliver, or on a WebSocket for its time to run out.
  public var isHolding: Bool { held != nil }
  /// The connect that waits is a poll.
  public var isHoldingPoll: Bool { held?.lane.transport.isPolling == true }
  /// Its client is there: a connect waits or is being answered, or a socket is open. One that is only given its time to
  /// come again is not. Spec: GMS 6.2, last paragraph but one.
  public var isLive: Bool { held != nil || socket != nil || flights.contains(where: \.carriesConnect) }
  /// Something waits for a response that could carry it.
  public var hasQueued: Bool { !queue.isEmpty }
  /// Something waits that no connect is held beside.
  var hasUrgent: Bool { queue.contains { !$0.message.isLazy } }
  /// Something is queued, on its way or unacknowledged.
  public var hasUndelivered: Bool { pendingMessages > 0 }

  /// The answer to what is held will say what time it is: `note` before each input.
  public var tellsTime: Bool { held?.request.timesync != nil }

  /// Our clock, milliseconds.
  public mutating func note(time: Int) {
    if let timesync = held?.request.timesync { held?.request.timesync = timesync.answered(at: time) }
  }

  /// To be called once, when the handshake succeeded: the client has as long as a grace period for its first connect.
  public mutating func handshaken() -> [SessionAction] { collect { $0.startGrace(&$1) } }

  /// To be called once, when recovery is over: the client has a whole grace period to come back.
  public mutating func restored() -> [SessionAction] { collect { $0.startGrace(&$1) } }

  /// A request of this client, other than a lone connect, has begun to be worked through: what is delivered from now on
  /// waits for its response rather than wakes the held connect. Optional. Ends with the exchange's `.request`,
  /// `.disconnect` or `.closed`. Spec: Bayeux 1.0, "Delivery".
  public mutating func requestBegan(_ exchange: ExchangeID) {
    if !isEnded, !open.contains(exchange) { open.append(exchange) }
  }

  /// A request that began is answered past the session: it takes nothing along.
  public mutating func requestForgone(_ exchange: ExchangeID) -> [SessionAction] {
    guard open.contains(exchange) else { return [] }
    open.removeAll { $0 == exchange }
    return collect { $0.flush(&$1) }
  }

  /// The client speaks over another connection and expects to be answered there: nothing more goes out over the socket
  /// that it had.
  public mutating func moves(to exchange: ExchangeID, _ transport: ConnectionType) -> [SessionAction] {
    guard let socket, socket != exchange else { return [] }
    guard transport.isPolling else { return received(.closed(socket)) }
    self.socket = nil
    return []
  }

  /// Takes what happened; returns what to do, in order.
  public mutating func received(_ input: SessionInput) -> [SessionAction] {
    var actions: [SessionAction] = []
    if isEnded {
      refuse(input, &actions)
      return actions
    }
    switch input {
    case .request(let exchange, let transport, let replies):
      request(on: Lane(exchange: exchange, transport: transport), replies, &actions)
    case .deliver(let messages):
      deliver(messages, &actions)
    case .redeliver(let messages):
      redeliver(messages)
    case .lazyElapsed:
      lazyElapsed(&actions)
    case .timerElapsed:
      timerElapsed(&actions)
    case .written(let exchange, let success):
      written(exchange, success: success, &actions)
    case .closed(let exchange):
      closed(exchange, &actions)
    case .disconnect(let exchange, let transport, let replies):
      giveUp(.disconnected, on: Lane(exchange: exchange, transport: transport), replies, &actions)
    case .inactive(let exchange, let transport, let replies):
      giveUp(.inactive, on: Lane(exchange: exchange, transport: transport), replies, &actions)
    case .serverStops:
      stop(&actions)
    case .dismissed:
      if let held { actions.append(.respond(held.lane.exchange, messages: [refusal(of: held.request)])) }
      end(.dismissed, &actions)
    }
    return actions
  }

  private mutating func collect(_ step: (inout BayeuxSession, inout [SessionAction]) -> Void) -> [SessionAction] {
    var actions: [SessionAction] = []
    step(&self, &actions)
    return actions
  }
}

/// Where a request came from and its response goes.
struct Lane: Sendable, Equatable {
  let exchange: ExchangeID
  let transport: ConnectionType
}

struct HeldConnect: Sendable, Equatable {
  let lane: Lane
  var request: ConnectRequest
}

struct QueuedEvent: Sendable, Equatable {
  var message: QueuedMessage
  /// Its place among all events of the session.
  let serial: UInt64
  /// With the acknowledgment extension: the batches it was first and last sent in; 0 before.
  var firstBatch = 0
  var lastBatch = 0
}

/// A response on its way.
struct Flight: Sendable, Equatable {
  let lane: Lane
  /// The events in it, unless the acknowledgment extension keeps them.
  var events: [QueuedEvent] = []
  var carriesConnect = false
  var carriesAdvice = false
  /// What the grace timer is to last once this is written.
  var graceMilliseconds = 0
  /// The batch that it carries, with the acknowledgment extension.
  var batch: Int?
}
