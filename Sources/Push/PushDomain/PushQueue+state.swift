public import EventSourcing

/// The state of a queue as snapshots and restatements hold it. Field numbers are frozen.
///
/// | field | content |
/// |---|---|
/// | 1 | arrivals (always written) |
/// | 2 | why the address is gone (absent: it is not) |
/// | 3 | the expiry timer's deadline (absent: it does not run) |
/// | 4 | the last event moved the expiry timer (absent: no) |
/// | 5 | lane…, in the order of the producers |
/// | 6 | producer (1) and number (2) of what is in flight (absent: nothing) |
/// | 7 | priority that the courier lane was offered (absent: none) |
/// | 8 | the last event made that offer (absent: no) |
/// | 9 | a push was delivered once (absent: no) |
/// | 10 | when the device showed its address last (absent: never told) |
/// | 11 | dead letter…, oldest first |
/// | 12 | mailbox (absent: empty) |
///
/// A lane: producer 1, highest number 2 (absent: none), last arrival 3, paused until 4 (absent: it does not pause),
/// entry 5…. An entry, in the order of its lane: message 1 (as in the event `enqueued`), arrival 2, failures 3 (absent: 0),
/// unprocessed attempts 4 (absent: 0), accepted at 5, past attempt 6…. A dead letter: message 1, outcome 2, attempts 3,
/// accepted at 4, ended at 5, past attempt 6…. A past attempt, oldest first: at 1, reason 2 (absent: ""), report 3 (as in
/// the event `settled`; absent: nothing to tell).
extension PushQueue: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.integer(1, arrivals)
    writer.text(2, ifPresent: unregisteredReason)
    if let armedFor = expiryTimer.armedFor { writer.time(3, armedFor) }
    if expiryTimer.hasMoved { writer.bool(4, true) }
    for (producer, lane) in lanes.sorted(by: { $0.key < $1.key }) {
      writer.nested(5) { inner in
        inner.text(1, producer)
        lane.encode(into: &inner)
      }
    }
    if let inFlight { writer.nested(6) { inFlight.encode(into: &$0) } }
    if let priority = offer.priority { writer.unsigned(7, UInt64(priority.rawValue)) }
    if offer.isNew { writer.bool(8, true) }
    if hasDelivered { writer.bool(9, true) }
    if let registeredAt { writer.time(10, registeredAt) }
    for letter in deadLetters { writer.nested(11) { letter.encode(into: &$0) } }
    if mail != Mailbox() { writer.nested(12) { mail.encode(into: &$0) } }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    var arrivals: Int?
    while let field = try payload.next() {
      switch field {
      case 1: arrivals = try payload.count(field)
      case 2: unregisteredReason = try payload.text()
      case 3: expiryTimer.armedFor = try payload.time()
      case 4: expiryTimer.hasMoved = try payload.bool()
      case 5:
        var inner = try payload.nested()
        let (producer, lane) = try PushLane.named(&inner)
        lanes[producer] = lane
      case 6:
        var inner = try payload.nested()
        inFlight = try PushID(payload: &inner)
      case 7:
        guard let raw = UInt8(exactly: try payload.unsigned()), let known = PushPriority(rawValue: raw) else {
          throw .outOfRange(field: 7)
        }
        offer.priority = known
      case 8: offer.isNew = try payload.bool()
      case 9: hasDelivered = try payload.bool()
      case 10: registeredAt = try payload.time()
      case 11:
        var inner = try payload.nested()
        deadLetters.append(try DeadLetter(payload: &inner))
      case 12:
        var inner = try payload.nested()
        mail = try Mailbox(payload: &inner)
      default: try payload.skip()
      }
    }
    guard let arrivals else { throw .missingField(1) }
    self.arrivals = arrivals
    guard isCountedOnce else { throw .outOfRange(field: 5) }
  }

  /// Each message has an arrival of its own, and the next one will have: else their order would be a dictionary's.
  private var isCountedOnce: Bool {
    let places = lanes.values.flatMap { $0.entries.map(\.arrival) }
    return places.allSatisfy { $0 <= arrivals } && Set(places).count == places.count
  }

  /// Awake while something is in a provider's hands or could be; everything else that a queue waits for has a timer.
  public var rest: Rest {
    guard isUnregistered || (inFlight == nil && sendable == nil) else { return .wakeful }
    let pauses = isUnregistered ? [] : lanes.values.compactMap(\.pausedUntil)
    let deadlines = pauses + [expiryTimer.armedFor].compactMap(\.self)
    return .asleep(until: deadlines.min())
  }
}

extension PushLane {
  fileprivate func encode(into writer: inout PayloadWriter) {
    if highestNumber != .min { writer.integer(2, highestNumber) }
    writer.integer(3, lastArrival)
    if let pausedUntil { writer.time(4, pausedUntil) }
    for entry in entries {
      writer.nested(5) { inner in
        inner.nested(1) { entry.message.encode(into: &$0) }
        inner.integer(2, entry.arrival)
        if entry.failures != 0 { inner.integer(3, entry.failures) }
        if entry.returns != 0 { inner.integer(4, entry.returns) }
        if entry.acceptedAt != .epoch { inner.time(5, entry.acceptedAt) }
        for attempt in entry.history { inner.nested(6) { attempt.encode(into: &$0) } }
      }
    }
  }

  fileprivate static func named(_ payload: inout PayloadReader) throws(PayloadError) -> (String, PushLane) {
    var producer: String?, lastArrival: Int?
    var lane = PushLane()
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: lane.highestNumber = try payload.integer()
      case 3: lastArrival = try payload.count(field)
      case 4: lane.pausedUntil = try payload.time()
      case 5:
        var inner = try payload.nested()
        lane.entries.append(try PushEntry(payload: &inner))
      default: try payload.skip()
      }
    }
    guard let producer else { throw .missingField(1) }
    guard let lastArrival else { throw .missingField(3) }
    guard lane.entries.allSatisfy({ $0.message.producer == producer }) else { throw .outOfRange(field: 5) }
    lane.lastArrival = lastArrival
    return (producer, lane)
  }
}

extension PushEntry {
  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var message: PushMessage?, arrival: Int?
    var failures = 0
    var returns = 0
    var acceptedAt = Timestamp.epoch
    var history: [PushAttempt] = []
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        message = try PushMessage(payload: &inner)
      case 2: arrival = try payload.count(field)
      case 3: failures = try payload.count(field)
      case 4: returns = try payload.count(field)
      case 5: acceptedAt = try payload.time()
      case 6: history.append(try PushAttempt(within: &payload))
      default: try payload.skip()
      }
    }
    guard let message else { throw .missingField(1) }
    guard let arrival else { throw .missingField(2) }
    self.init(
      message: message, arrival: arrival, acceptedAt: acceptedAt, failures: failures, returns: returns, history: history
    )
  }
}

extension DeadLetter {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.nested(1) { message.encode(into: &$0) }
    writer.nested(2) { outcome.encode(into: &$0) }
    writer.integer(3, attempts)
    writer.time(4, acceptedAt)
    writer.time(5, endedAt)
    for attempt in history { writer.nested(6) { attempt.encode(into: &$0) } }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var message: PushMessage?, outcome: FinalPushOutcome?, attempts: Int?, acceptedAt: Timestamp?, endedAt: Timestamp?
    var history: [PushAttempt] = []
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        message = try PushMessage(payload: &inner)
      case 2:
        var inner = try payload.nested()
        outcome = try FinalPushOutcome(payload: &inner)
      case 3: attempts = try payload.count(field)
      case 4: acceptedAt = try payload.time()
      case 5: endedAt = try payload.time()
      case 6: history.append(try PushAttempt(within: &payload))
      default: try payload.skip()
      }
    }
    guard let message else { throw .missingField(1) }
    guard let outcome else { throw .missingField(2) }
    guard let attempts else { throw .missingField(3) }
    guard let acceptedAt else { throw .missingField(4) }
    guard let endedAt else { throw .missingField(5) }
    self.init(
      message: message, outcome: outcome, attempts: attempts, acceptedAt: acceptedAt, endedAt: endedAt, history: history
    )
  }
}

extension PushAttempt {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.time(1, at)
    writer.text(2, ifNotEmpty: reason)
    let report = PushReport(answer: answer, mayBeDelivered: mayBeDelivered, isRejection: isRejection)
    if let report = report.unlessEmpty { writer.nested(3) { report.encode(into: &$0) } }
  }

  fileprivate init(within payload: inout PayloadReader) throws(PayloadError) {
    var inner = try payload.nested()
    var at: Timestamp?, report: PushReport?
    var reason = ""
    while let field = try inner.next() {
      switch field {
      case 1: at = try inner.time()
      case 2: reason = try inner.text()
      case 3: report = try PushReport(within: &inner)
      default: try inner.skip()
      }
    }
    guard let at else { throw .missingField(1) }
    self.init(at: at, reason: reason, report)
  }
}
