public import EventSourcing

/// The store-and-forward queue of one device. Spec: GMS 7.4.
///
/// Each producer has a lane of its own: one of its pushes is in flight at a time, in order, and no lane waits for
/// another. What is in flight is not journalled: it is always the first message of every lane that does not pause, so
/// after a restart it is handed over again with the same attempt number (at least once); a recorded success has left
/// the queue and is never sent again.
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
  var expiryTimer = ExpiryTimer()

  public init() {}

  /// True if the push was taken over before: the producer is to be told so, and there is nothing else to do.
  public func isKnown(producer: String, number: Int) -> Bool {
    lanes[producer].map { number <= $0.highestNumber } ?? false
  }

  /// Messages in the queue, those in flight included.
  public var messageCount: Int { lanes.values.reduce(0) { $0 + $1.entries.count } }

  /// True once the address is gone: what comes now is taken over and ends at once.
  public var isUnregistered: Bool { unregisteredReason != nil }

  /// Never: the numbers of the producers and the death of the address must be remembered.
  public var isFinished: Bool { false }

  public var outstandingEffects: [PushEffect] {
    guard !isUnregistered else { return [] }
    let deliveries = lanes.values.compactMap(\.inFlight).sorted { $0.arrival < $1.arrival }
    var timers = lanes.compactMap { producer, lane in
      lane.pausedUntil.map { (at: $0, timer: PushTimer.retry(producer: producer), name: producer) }
    }
    if let at = expiryTimer.armedFor { timers.append((at, .expiry, "")) }
    timers.sort { ($0.at, $0.name) < ($1.at, $1.name) }
    return deliveries.map { .deliver($0.message, attempt: $0.attempt) }
      + timers.map { .startTimer($0.timer, at: $0.at) }
  }

  /// What is in nobody's hands, in the order in which it came.
  var waiting: [PushEntry] { lanes.values.flatMap(\.waiting).sorted { $0.arrival < $1.arrival } }

  var contentBytes: Int {
    lanes.values.reduce(0) { sum, lane in lane.entries.reduce(sum) { $0 + $1.message.contentBytes } }
  }

  /// The one timer for all waiting messages that expire.
  struct ExpiryTimer: Sendable, Equatable, Codable {
    var armedFor: Timestamp?
    /// True if the last event moved it: `react` then has to say so.
    var hasMoved = false
  }
}
