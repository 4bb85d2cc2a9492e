public import EventSourcing
internal import HeapModule

/// Who may send next over one courier lane, and when: bounds, order, rate, breaker. A value without I/O.
/// Spec: providers 1.5, 2.7, 4.4.
///
/// ```
///            20 transport failures in a row, a broken lane,
///            or an endpoint that fails too often
///   closed ────────────────────────────────────────────────> open ──1, 2, 4 … 60 s──> probing
///     ▲                                                       ▲  │                       │ │
///     └───────────────── one success (then 1, 2, 4 … at once) ┼──┼───────────────────────┘ │
///                                                             └──┼──── failed again ───────┘
///               5 days without a success, or 410 Gone at any time └──> off (endpoints): refused, a probe an hour
/// ```
/// What waits is a queue, named by its key; which of its messages goes is the queue's choice when its turn has come.
public struct CourierLaneMachine: Sendable {
  public struct Settings: Sendable, Equatable {
    public var inFlightMaximum = 64
    public var perSecondMaximum: Int?
    /// See `CourierLane.isEndpoint`.
    public var isEndpoint = false
    /// Transport failures in a row that open the breaker.
    public var failuresMaximum = 20
    /// The longest pause before a probe.
    public var probePauseMaximum = Duration.seconds(60)
    /// An endpoint's breaker: calls in `errorWindow` from which on the share of errors counts, and the share that
    /// opens it.
    public var errorWindow = Duration.seconds(300)
    public var errorCallsMinimum = 20
    public var errorPercentMaximum = 70
    public var errorsMaximum = 1_000
    /// An endpoint without one success for so long is switched off, and probed once in `offProbePause`.
    public var offAfter = Duration.seconds(5 * 86_400)
    public var offProbePause = Duration.seconds(3_600)
    /// More doubtful "address is gone" answers than this share of the calls in `suspectWindow` end no device.
    public var suspectWindow = Duration.seconds(600)
    public var suspectPercentMaximum = 20

    public init() {}

    public init(_ lane: CourierLane) {
      inFlightMaximum = lane.inFlightMaximum
      perSecondMaximum = lane.perSecondMaximum
      isEndpoint = lane.isEndpoint
    }
  }

  public enum Action: Sendable, Equatable {
    /// This queue's turn has come: `ended` or `released` has to follow.
    case start(key: String)
    /// As `start`, but the lane is off: the message is to be refused, not sent.
    case refuse(key: String, reason: String)
    /// Replaces the lane's one timer: `tick` is to be called then.
    case arm(at: Timestamp)
    /// For the operator.
    case changed(to: Condition, reason: String)
  }

  /// For metrics and the operator. The raw values are shown.
  public enum Condition: Int, Sendable, Equatable {
    case closed = 0
    case open = 1
    case off = 2
  }

  private enum Breaker: Equatable {
    case closed
    /// `step`: probes that have failed; nothing starts before `until`.
    case open(until: Timestamp, step: Int)
    case probing(key: String, step: Int)
  }

  /// What is on between `start` or `refuse` and `ended` or `released`.
  private struct Turn {
    let isRefusal: Bool
    /// What the queue has offered meanwhile.
    var offered: Ticket?
  }

  private struct Ticket: Comparable {
    let key: String
    let place: Place

    static func < (left: Ticket, right: Ticket) -> Bool { left.place < right.place }
  }

  /// A ticket's place in the order. Small, since there is one for each device that waits.
  private struct Place: Comparable {
    private static let isUrgent: UInt64 = 1 << 63
    let since: Timestamp
    /// The number of the ticket, and in the highest bit its priority.
    let number: UInt64

    init(_ priority: PushPriority, since: Timestamp, number: UInt64) {
      self.since = since
      self.number = number | (priority == .high ? Self.isUrgent : 0)
    }

    static func < (left: Place, right: Place) -> Bool {
      let urgency = (left.number & isUrgent, right.number & isUrgent)
      if urgency.0 != urgency.1 { return urgency.0 > urgency.1 }
      return left.since != right.since ? left.since < right.since : left.number < right.number
    }
  }

  public var settings: Settings
  private var waiting = Heap<Ticket>()
  /// The ticket that counts, for each queue that waits; others in `waiting` are stale.
  private var tickets: [String: Place] = [:]
  /// Queues whose turn is on.
  private var running: [String: Turn] = [:]
  private var numbers: UInt64 = 0
  private var breaker = Breaker.closed
  private var failures = 0
  /// Attempts at once that a lane may have which has just come back.
  private var ramp = Int.max
  private var pausedUntil: Timestamp?
  private var calls = Window()
  private var suspects = Window()
  private var tokens = 0.0
  private var tokensAt: Timestamp?
  private var failingSince: Timestamp?
  private var isOff = false
  private var armedFor: Timestamp?

  public init(settings: Settings) { self.settings = settings }

  public var condition: Condition {
    if isOff { return .off }
    return breaker == .closed ? .closed : .open
  }

  /// When a lane that is open or off sends its next probe, at the earliest; nil while it is closed, or a probe is on.
  public var nextProbe: Timestamp? {
    if case .open(let until, _) = breaker { until } else { nil }
  }

  public var waitingCount: Int { tickets.count }
  public var runningCount: Int { running.count }

  /// How long the oldest message has waited.
  public func oldestAge(now: Timestamp) -> Duration {
    guard let oldest = tickets.values.lazy.map(\.since).min() else { return .zero }
    return .milliseconds(max(0, now.milliseconds - oldest.milliseconds))
  }

  /// True if the lane may be forgotten: it has carried nothing yet.
  public var isIdle: Bool { isVacant && pausedUntil == nil && calls.isEmpty }

  /// True if the lane may be forgotten: nothing in it, and what it remembers counts no longer.
  public func isIdle(at now: Timestamp) -> Bool {
    isVacant && (pausedUntil ?? .epoch) <= now && calls.isOver(at: now, settings.errorWindow)
      && suspects.isOver(at: now, settings.suspectWindow)
  }

  private var isVacant: Bool {
    tickets.isEmpty && running.isEmpty && breaker == .closed && !isOff && failingSince == nil
  }

  /// A queue has something to send. - Parameter since: when that message was taken over.
  public mutating func offer(_ key: String, _ priority: PushPriority, since: Timestamp, now: Timestamp) -> [Action] {
    numbers += 1
    let ticket = Ticket(key: key, place: Place(priority, since: since, number: numbers))
    if let turn = running[key] {
      running[key]?.offered = min(turn.offered ?? ticket, ticket)
      return []
    }
    admit(ticket)
    return startWhatMay(now)
  }

  /// Gives a queue that is about to have something the place that it would be offered: nobody waits before it, and nothing
  /// stands in the way. `ended` or `released` has to follow. Probes are for those who wait.
  /// - Returns: false if it has to be offered as others are.
  public mutating func reserve(_ key: String, now: Timestamp) -> Bool {
    guard running[key] == nil, tickets.isEmpty, condition == .closed, obstacle(now) == nil else { return false }
    occupy(key, isRefusal: false)
    return true
  }

  /// An attempt has ended.
  /// - Parameter jitter: 0…1, drawn by whoever asks.
  /// - Returns: what the queue is to be told, which may be milder than what the provider said, and what is to be done.
  public mutating func ended(
    _ key: String, _ outcome: PushOutcome, jitter: Double, now: Timestamp
  ) -> (outcome: PushOutcome, actions: [Action]) {
    // An answer that comes twice says nothing new.
    guard let turn = running[key] else { return (outcome, []) }
    if !turn.isRefusal {
      calls.count(now, settings.errorWindow, isError: outcome.isReceiversFault)
      suspects.count(now, settings.suspectWindow, isError: outcome.isSuspect)
    }
    var told = outcome
    var actions: [Action] = []
    switch outcome {
    case .delivered:
      actions += succeeded()
    case .unregistered(let reason, _, let isSuspect):
      if isSuspect, suspects.isAbove(settings.suspectPercentMaximum, of: settings.errorCallsMinimum) {
        told = .refused(reason: "\(reason), too many of them: wrong environment?")
      }
      // The provider works; what it said was about the address.
      actions += isSuspect ? answered(key) : succeeded()
    case .refused:
      actions += answered(key)
    case .rejected(let reason):
      // It counts for the message in any case: how often that may be said to one is bounded.
      if settings.isEndpoint, endpointFailsTooOften {
        actions += failed(key, reason, now, jitter)
      } else {
        actions += answered(key)
      }
    case .endpointGone(let reason):
      told = .refused(reason: "\(reason): the endpoint is switched off")
      actions += switchedOff(reason, now)
    case .laneBroken(let reason):
      actions += failed(key, reason, now, jitter)
    case .lanePaused(_, let pause):
      let until = max(pausedUntil ?? .epoch, now.advanced(by: pause))
      pausedUntil = until
      if let step = probeStep(key) { breaker = .open(until: until, step: step) }
    case .unprocessed(let reason, let isTransport):
      if isTransport {
        (told, actions) = transportFailed(key, outcome, reason, now, jitter)
      } else if let step = probeStep(key) {
        // It says neither yes nor no.
        breaker = .open(until: now.advanced(by: pause(step, jitter)), step: step)
      }
    case .retryable(let reason, _, _, let isTransport):
      if isTransport {
        (told, actions) = transportFailed(key, outcome, reason, now, jitter)
      } else if settings.isEndpoint, endpointFailsTooOften {
        (told, actions) = (.laneBroken(reason: reason), failed(key, reason, now, jitter))
      } else {
        actions += answered(key)
      }
    }
    return (told, actions + leave(key, now))
  }

  /// The queue had nothing to send when its turn came, or chose something else for the place that was reserved.
  public mutating func released(_ key: String, now: Timestamp) -> [Action] {
    if let step = probeStep(key) { breaker = .open(until: now, step: step) }
    return leave(key, now)
  }

  /// The timer has fired.
  public mutating func tick(now: Timestamp) -> [Action] {
    armedFor = nil
    return startWhatMay(now)
  }

  /// The operator has reloaded or asks for it: what was broken may be whole again.
  public mutating func reset(now: Timestamp) -> [Action] {
    let condition = condition
    (breaker, failures, isOff, failingSince, pausedUntil) = (.closed, 0, false, nil, nil)
    ramp = condition == .closed ? ramp : 1
    (calls, suspects) = (Window(), Window())
    return (condition == .closed ? [] : [.changed(to: .closed, reason: "reset")]) + startWhatMay(now)
  }

  // MARK: Turns

  private mutating func admit(_ ticket: Ticket) {
    if let current = tickets[ticket.key], current < ticket.place { return }
    tickets[ticket.key] = ticket.place
    waiting.insert(ticket)
    // Stale tickets must not outgrow the ones that count.
    if waiting.count > 64, waiting.count > tickets.count * 2 {
      waiting = Heap(tickets.map { Ticket(key: $0.key, place: $0.value) })
    }
  }

  private mutating func leave(_ key: String, _ now: Timestamp) -> [Action] {
    if let ticket = running.removeValue(forKey: key)?.offered { admit(ticket) }
    return startWhatMay(now)
  }

  private mutating func next() -> Ticket? {
    while let ticket = waiting.popMin() {
      if tickets[ticket.key]?.number == ticket.place.number {
        tickets[ticket.key] = nil
        return ticket
      }
    }
    return nil
  }

  private mutating func occupy(_ key: String, isRefusal: Bool) {
    running[key] = Turn(isRefusal: isRefusal)
    if !isRefusal, settings.perSecondMaximum != nil { tokens -= 1 }
  }

  private mutating func startWhatMay(_ now: Timestamp) -> [Action] {
    var actions: [Action] = []
    while !tickets.isEmpty {
      if let wake = obstacle(now) {
        if let at = wake.at { actions += arm(at) }
        break
      }
      guard let ticket = next() else { break }
      let isRefusal = isRefusing(now)
      occupy(ticket.key, isRefusal: isRefusal)
      if isRefusal {
        actions.append(.refuse(key: ticket.key, reason: "the endpoint is switched off"))
        continue
      }
      if case .open(_, let step) = breaker { breaker = .probing(key: ticket.key, step: step) }
      actions.append(.start(key: ticket.key))
    }
    return actions
  }

  /// True if nothing but a probe may be sent, and it is not the time for one.
  private func isRefusing(_ now: Timestamp) -> Bool {
    guard isOff else { return false }
    return if case .open(let until, _) = breaker { until > now } else { true }
  }

  /// Why nothing may start now; `at` if time alone will help.
  private mutating func obstacle(_ now: Timestamp) -> (at: Timestamp?, Void)? {
    if running.count >= min(settings.inFlightMaximum, ramp) { return (nil, ()) }
    switch breaker {
    case .closed: break
    case .probing:
      if !isOff { return (nil, ()) }
    case .open(let until, _):
      if until > now, !isOff { return (until, ()) }
      if until <= now, running.count > 0, !isOff { return (nil, ()) }
    }
    if let until = pausedUntil {
      if until > now { return (until, ()) }
      pausedUntil = nil
    }
    guard let rate = settings.perSecondMaximum.map({ max(1, $0) }) else { return nil }
    let capacity = max(1.0, Double(rate) / 4)
    let elapsed = tokensAt.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1_000 }
    tokens = min(capacity, elapsed.map { tokens + $0 * Double(rate) } ?? capacity)
    tokensAt = now
    if tokens >= 1 { return nil }
    return (now.advanced(by: .milliseconds(max(1, Int((1 - tokens) / Double(rate) * 1_000)))), ())
  }

  private mutating func arm(_ at: Timestamp) -> [Action] {
    guard armedFor != at else { return [] }
    armedFor = at
    return [.arm(at: at)]
  }

  // MARK: Breaker

  private var endpointFailsTooOften: Bool {
    breaker != .closed || calls.errors >= settings.errorsMaximum
      || calls.isAtLeast(settings.errorPercentMaximum, of: settings.errorCallsMinimum)
  }

  /// What cannot reach anybody costs no attempt once it is known that nobody can be reached.
  private mutating func transportFailed(
    _ key: String, _ outcome: PushOutcome, _ reason: String, _ now: Timestamp, _ jitter: Double
  ) -> (PushOutcome, [Action]) {
    failures += 1
    let wasOpen = breaker != .closed
    let opens = wasOpen || failures >= settings.failuresMaximum || (settings.isEndpoint && endpointFailsTooOften)
    let actions = opens ? failed(key, reason, now, jitter) : []
    if wasOpen { return (.laneBroken(reason: reason), actions) }
    // A refused connection is an attempt like another as long as the lane counts as whole.
    if case .unprocessed = outcome { return (.retryable(reason: reason, isTransport: true), actions) }
    return (outcome, actions)
  }

  private mutating func failed(_ key: String, _ reason: String, _ now: Timestamp, _ jitter: Double) -> [Action] {
    let former = condition
    failingSince = failingSince ?? now
    switch breaker {
    case .closed: breaker = .open(until: now.advanced(by: pause(0, jitter)), step: 0)
    case .probing(key, let step): breaker = .open(until: now.advanced(by: pause(step + 1, jitter)), step: step + 1)
    // An attempt of before it opened.
    case .probing, .open: break
    }
    if settings.isEndpoint, let failingSince, now >= failingSince.advanced(by: settings.offAfter), !isOff {
      return switchedOff(reason, now)
    }
    return condition == former ? [] : [.changed(to: condition, reason: reason)]
  }

  /// Nothing but a probe an hour goes there any more; what waits is refused. Spec: providers 4.4.
  private mutating func switchedOff(_ reason: String, _ now: Timestamp) -> [Action] {
    let former = condition
    failingSince = failingSince ?? now
    isOff = true
    breaker = .open(until: now.advanced(by: settings.offProbePause), step: 0)
    return former == .off ? [] : [.changed(to: .off, reason: reason)]
  }

  /// The step of the probe, if this is it.
  private func probeStep(_ key: String) -> Int? {
    if case .probing(key, let step) = breaker { step } else { nil }
  }

  /// Not a success, but the provider can be reached and takes our credentials: enough for a probe.
  private mutating func answered(_ key: String) -> [Action] {
    failures = 0
    return probeStep(key) == nil ? [] : closed()
  }

  private mutating func succeeded() -> [Action] {
    failures = 0
    failingSince = nil
    if ramp < settings.inFlightMaximum { ramp *= 2 } else { ramp = .max }
    return breaker == .closed && !isOff ? [] : closed()
  }

  private mutating func closed() -> [Action] {
    let former = condition
    breaker = .closed
    isOff = false
    ramp = 2
    calls = Window()
    return former == .closed ? [] : [.changed(to: .closed, reason: "")]
  }

  private func pause(_ step: Int, _ jitter: Double) -> Duration {
    if isOff { return settings.offProbePause }
    let full = min(.seconds(1 << min(step, 30)), settings.probePauseMaximum)
    return full * (0.5 + min(max(jitter, 0), 1) / 2)
  }
}

/// Calls and errors of about the last while: of this half of the window and the one before.
private struct Window: Sendable {
  private var current = (calls: 0, errors: 0)
  private var former = (calls: 0, errors: 0)
  private var since: Timestamp?

  var errors: Int { current.errors + former.errors }
  var isEmpty: Bool { current.calls + former.calls == 0 }

  mutating func count(_ now: Timestamp, _ window: Duration, isError: Bool) {
    if let since, now >= since.advanced(by: window / 2) {
      former = now >= since.advanced(by: window) ? (0, 0) : current
      current = (0, 0)
      self.since = now
    }
    since = since ?? now
    current.calls += 1
    if isError { current.errors += 1 }
  }

  /// True if nothing of it counts any more.
  func isOver(at now: Timestamp, _ window: Duration) -> Bool { since.map { now >= $0.advanced(by: window) } ?? true }

  func isAtLeast(_ percent: Int, of minimum: Int) -> Bool {
    let calls = current.calls + former.calls
    return calls >= minimum && errors * 100 >= calls * percent
  }

  func isAbove(_ percent: Int, of minimum: Int) -> Bool {
    let calls = current.calls + former.calls
    return calls >= minimum && errors * 100 > calls * percent
  }
}

extension PushOutcome {
  /// True if the receiver, rather than the message, is at fault.
  fileprivate var isReceiversFault: Bool {
    switch self {
    case .delivered, .refused, .unregistered: false
    case .retryable, .rejected, .unprocessed, .endpointGone, .laneBroken, .lanePaused: true
    }
  }

  /// True for "the address is gone" where that may be said of the wrong environment.
  fileprivate var isSuspect: Bool { if case .unregistered(_, _, true) = self { true } else { false } }
}
