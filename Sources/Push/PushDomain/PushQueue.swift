public import EventSourcing

/// The store-and-forward queue of one device. Spec: GMS 7.4; providers 1.
///
/// ```
///  enqueue ─> waiting ──ready──> (courier lane) ──begin──> in flight ──attemptEnded──> settled, or waiting again
/// ```
/// One message is in flight at a time, so that a device gets its pushes in order: high priority first, then the oldest.
/// The pause after a failure holds back the messages of one producer only. The courier lane is offered the *queue*, not
/// a message: which one goes is decided when the lane has room, so that collapse keys, priorities and expiry count until
/// the last moment. What is in flight is sent again after a restart with the same attempt number (at least once); a
/// recorded success has left the queue and is never sent again.
///
/// A device, or an app server, that keeps a connection of its own has no courier: what is for it lies in `mail` until it
/// has acknowledged it.
public struct PushQueue: Decider, Codable, Equatable {
  public typealias Command = PushCommand
  public typealias Event = PushEvent
  public typealias Rejection = Never
  public typealias Effect = PushEffect

  var lanes: [String: PushLane] = [:]
  /// Messages that ever came, for the order among producers.
  var arrivals = 0
  /// Why the address is gone; nil while it is not.
  var unregisteredReason: String?
  /// When the device showed the address last, as far as this queue was told.
  var registeredAt: Timestamp?
  var expiryTimer = ExpiryTimer()
  /// Whose attempt is running.
  var inFlight: PushID?
  var offer = Offer()
  /// True once a push to this address was taken by its provider.
  var hasDelivered = false
  /// Of what came without a number of its own, by its producer.
  var submissions = RecentIDs()
  /// Oldest first.
  public internal(set) var deadLetters: [DeadLetter] = []
  /// What waits for a receiver that fetches it itself.
  public internal(set) var mail = Mailbox()

  public init() {}

  /// False if the push is to be taken over: it has not come, as far as anybody can tell.
  public func isKnown(producer: String, number: Int) -> Bool { standing(producer: producer, number: number) != .fresh }

  /// Whether the push was taken over before. If it is `known`, the producer is to be told so, and there is nothing else to
  /// do.
  public func standing(producer: String, number: Int) -> PushStanding {
    guard let lane = lanes[producer] else { return .fresh }
    let standing = lane.numbers.standing(of: number)
    guard standing == .outrun else { return standing }
    let isThere =
      lane.entries.contains { $0.message.number == number }
      || deadLetters.contains { $0.message.number == number && $0.message.producer == producer }
    return isThere ? .known : .outrun
  }

  /// Messages in the queue, that in flight included.
  public var messageCount: Int { lanes.values.reduce(0) { $0 + $1.entries.count } }

  /// What waits, for the courier or for its next attempt, for metrics and the operator; nil if nothing does.
  public var backlog: PushBacklog? {
    var backlog: PushBacklog?
    var pauses: [Timestamp?] = []
    for lane in lanes.values where !lane.entries.isEmpty {
      pauses.append(lane.pausedUntil)
      for entry in lane.entries where entry.message.id != inFlight {
        let isOldest = backlog.map { entry.acceptedAt < $0.since } ?? true
        if isOldest {
          backlog = PushBacklog(
            since: entry.acceptedAt, target: entry.message.target, tag: entry.message.tag, urgent: backlog?.urgent ?? 0,
            normal: backlog?.normal ?? 0)
        }
        if entry.message.priority == .high { backlog?.urgent += 1 } else { backlog?.normal += 1 }
      }
    }
    if inFlight == nil, pauses.allSatisfy({ $0 != nil }) { backlog?.nextAttempt = pauses.compactMap(\.self).min() }
    return backlog
  }

  /// True once the address is gone: what comes now is taken over and ends at once.
  public var isUnregistered: Bool { unregisteredReason != nil }

  /// The attempt that is running: what the courier is to send.
  public var attempt: (message: PushMessage, attempt: Int)? {
    inFlightEntry.map { ($0.message, $0.attempt) }
  }

  /// What would go out next, for the choice of a courier lane; what is in flight first.
  public var next: PushMessage? { (inFlightEntry ?? sendable)?.message }

  /// Never: the numbers of the producers and the death of the address must be remembered.
  public var isFinished: Bool { false }

  public var outstandingEffects: [PushEffect] {
    var effects: [PushEffect] = []
    if !isUnregistered, let entry = inFlightEntry ?? sendable { effects.append(entry.readiness) }
    var timers = lanes.compactMap { producer, lane in
      isUnregistered
        ? nil : lane.pausedUntil.map { (at: $0, timer: PushTimer.retry(producer: producer), name: producer) }
    }
    if let at = expiryTimer.armedFor { timers.append((at, .expiry, "")) }
    timers.sort { ($0.at, $0.name) < ($1.at, $1.name) }
    return effects + timers.map { .startTimer($0.timer, at: $0.at) }
  }

  var inFlightEntry: PushEntry? {
    guard let inFlight else { return nil }
    return lanes[inFlight.producer]?.entries.first { $0.message.number == inFlight.number }
  }

  /// The best message of all lanes that do not pause.
  var sendable: PushEntry? { lanes.values.compactMap(\.next).min(by: PushEntry.goesFirst) }

  /// In the order in which they came.
  var entries: [PushEntry] { lanes.values.flatMap(\.entries).sorted { $0.arrival < $1.arrival } }

  /// What no provider has in its hands at the moment, in the order in which it came.
  var waiting: [PushEntry] { entries.filter { $0.message.id != inFlight } }

  /// Messages and dead letters.
  var contentBytes: Int {
    let letters = deadLetters.reduce(0) { $0 + $1.message.contentBytes }
    return lanes.values.reduce(letters) { sum, lane in lane.entries.reduce(sum) { $0 + $1.message.contentBytes } }
  }

  /// The one timer for all that is worthless from some moment on: waiting messages, and dead letters.
  struct ExpiryTimer: Sendable, Equatable, Codable {
    var armedFor: Timestamp?
    /// True if the last event moved it: `react` then has to say so.
    var hasMoved = false
  }

  /// What the courier lane was told of this queue and has not answered yet.
  struct Offer: Sendable, Equatable, Codable {
    var priority: PushPriority?
    /// True if the last event made or raised it.
    var isNew = false
  }
}

/// What waits in one queue; what is in flight does not.
public struct PushBacklog: Sendable, Equatable {
  /// When the oldest message was taken over.
  public let since: Timestamp
  /// Of the oldest message.
  public let target: PushAddress
  public let tag: String
  /// Messages of high priority, and the others.
  public var urgent = 0
  public var normal = 0
  /// When the first pause is over; nil if something can go out before.
  public var nextAttempt: Timestamp?

  public init(
    since: Timestamp, target: PushAddress, tag: String, urgent: Int = 0, normal: Int = 0, nextAttempt: Timestamp? = nil
  ) {
    self.since = since
    self.target = target
    self.tag = tag
    self.urgent = urgent
    self.normal = normal
    self.nextAttempt = nextAttempt
  }
}

extension PushEntry {
  var readiness: PushEffect { .ready(message.priority, since: acceptedAt) }
}
