import EventSourcing
import PushDomain
import Testing

/// Drives one courier lane as the runtime does, and watches that it keeps its bounds.
struct LaneRig {
  typealias Action = CourierLaneMachine.Action

  var machine: CourierLaneMachine
  var now = Timestamp(milliseconds: 1_770_000_000_000)
  /// For the pauses of the breaker: 1 leaves them whole.
  var jitter = 1.0
  /// Whose turn it is.
  private(set) var running: Set<String> = []
  private(set) var refused: Set<String> = []
  private(set) var armed: Timestamp?

  init(_ settings: CourierLaneMachine.Settings = .init()) { machine = CourierLaneMachine(settings: settings) }

  init(inFlight: Int = 64, perSecond: Int? = nil, isEndpoint: Bool = false) {
    self.init(
      CourierLaneMachine.Settings(
        CourierLane(
          id: "l", label: "l", inFlightMaximum: inFlight, perSecondMaximum: perSecond, isEndpoint: isEndpoint)))
  }

  @discardableResult
  mutating func offer(_ key: String, _ priority: PushPriority = .high, age seconds: Int = 0) -> [Action] {
    noted(machine.offer(key, priority, since: now.advanced(by: .seconds(-seconds)), now: now))
  }

  mutating func reserve(_ key: String) -> Bool {
    let isReserved = machine.reserve(key, now: now)
    if isReserved {
      #expect(!running.contains(key) && !refused.contains(key), "twice at once")
      running.insert(key)
    }
    _ = noted([])
    return isReserved
  }

  /// - Returns: what the queue is told.
  @discardableResult
  mutating func end(_ key: String, _ outcome: PushOutcome) -> (outcome: PushOutcome, actions: [Action]) {
    running.remove(key)
    refused.remove(key)
    let (told, actions) = machine.ended(key, outcome, jitter: jitter, now: now)
    return (told, noted(actions))
  }

  @discardableResult
  mutating func release(_ key: String) -> [Action] {
    running.remove(key)
    refused.remove(key)
    return noted(machine.released(key, now: now))
  }

  /// Time passes; the timer fires if it is time.
  @discardableResult
  mutating func pass(_ duration: Duration) -> [Action] {
    now = now.advanced(by: duration)
    guard let due = armed, due <= now else { return [] }
    armed = nil
    return noted(machine.tick(now: now))
  }

  /// Waits for the timer.
  @discardableResult
  mutating func passToTimer() throws -> [Action] {
    let due = try #require(armed)
    return pass(.milliseconds(max(0, due.milliseconds - now.milliseconds)))
  }

  @discardableResult
  mutating func reset() -> [Action] { noted(machine.reset(now: now)) }

  /// Offers, starts and ends one attempt after the other.
  mutating func run(_ count: Int, _ outcome: PushOutcome) {
    for _ in 0..<count {
      offer("run")
      #expect(running.contains("run"))
      end("run", outcome)
    }
  }

  private mutating func noted(_ actions: [Action]) -> [Action] {
    for action in actions {
      switch action {
      case .start(let key):
        #expect(!running.contains(key) && !refused.contains(key), "twice at once")
        running.insert(key)
      case .refuse(let key, _):
        #expect(!running.contains(key) && !refused.contains(key), "twice at once")
        refused.insert(key)
      case .arm(let at): armed = at
      case .changed: break
      }
    }
    #expect(machine.runningCount == running.count + refused.count)
    #expect(running.count + refused.count <= machine.settings.inFlightMaximum)
    return actions
  }
}

extension CourierLaneMachine.Action {
  static func start(_ keys: String...) -> [CourierLaneMachine.Action] { keys.map { .start(key: $0) } }
}

extension PushOutcome {
  static let down = PushOutcome.retryable(reason: "connection refused", isTransport: true)
  static let busy = PushOutcome.retryable(reason: "503")
  static let wrongKey = PushOutcome.laneBroken(reason: "403 InvalidProviderToken")
}
