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
///
/// A lane: producer 1, highest number 2 (absent: none), last arrival 3, paused until 4 (absent: it does not pause),
/// entry 5…. An entry, in the order of its lane: message 1 (as in the event `enqueued`), arrival 2, failures 3 (absent: 0).
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
      default: try payload.skip()
      }
    }
    guard let arrivals else { throw .missingField(1) }
    self.arrivals = arrivals
  }

  /// Awake while a provider has something in its hands; everything else that a queue waits for has a timer.
  public var rest: Rest {
    guard !isUnregistered else { return .asleep(until: nil) }
    guard !lanes.values.contains(where: { $0.inFlight != nil }) else { return .wakeful }
    let deadlines = lanes.values.compactMap(\.pausedUntil) + [expiryTimer.armedFor].compactMap(\.self)
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
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        message = try PushMessage(payload: &inner)
      case 2: arrival = try payload.count(field)
      case 3: failures = try payload.count(field)
      default: try payload.skip()
      }
    }
    guard let message else { throw .missingField(1) }
    guard let arrival else { throw .missingField(2) }
    self.init(message: message, arrival: arrival, failures: failures)
  }
}

extension PayloadReader {
  /// Never negative, and far from overflowing when one is added.
  mutating func count(_ field: Int) throws(PayloadError) -> Int {
    let value = try integer()
    guard value >= 0, value < Int.max / 2 else { throw .outOfRange(field: field) }
    return value
  }
}
