import CallbackDomain
import EventSourcing
import Testing

/// Given, when, then: a callback, its clock and its journal. Every turn goes through the journal's form of its events.
struct CallbackRig {
  struct Turn: Equatable {
    var events: [CallbackEvent] = []
    var effects: [CallbackEffect] = []
  }

  /// 2026-03-02T09:00:00Z, a Monday.
  static let origin = Timestamp(milliseconds: 1_772_442_000_000)
  static let device = CallbackDevice(type: "ios", deviceID: "device-77", language: "de")

  private(set) var callback = Callback()
  var policy = CallbackPolicy()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []

  /// Lets `action` happen `second` seconds after the origin.
  @discardableResult
  mutating func when(_ action: CallbackAction, at second: Double) throws -> Turn {
    let now = Self.time(second)
    var turn = Turn()
    turn.events = try callback.decide(CallbackCommand(action, policy: policy), now: now)
    for event in turn.events {
      let stored = StoredEvent(event)
      journal.append((stored, now))
      callback.evolve(try stored.decoded(as: CallbackEvent.self), at: now)
      turn.effects += callback.react(to: event)
    }
    return turn
  }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws { callback = try Callback(stateBytes: callback.stateBytes) }

  /// The state that a restart would find.
  func replayed() throws -> Callback { try replayed(from: 0) }

  /// The state that a restart would find if every record before the last restatement had been erased.
  func replayedFromRestatement() throws -> Callback {
    try replayed(from: journal.lastIndex { CallbackEvent.isRestatement($0.event.tag) } ?? 0)
  }

  private func replayed(from start: Int) throws -> Callback {
    var state = Callback()
    for (stored, time) in journal[start...] { state.evolve(try stored.decoded(as: CallbackEvent.self), at: time) }
    return state
  }

  static func time(_ second: Double) -> Timestamp { origin.advanced(by: .milliseconds(Int64(second * 1000))) }

  static func request(
    _ direction: CallDirection = .userTerminated, _ media: CallbackMedia = .voice, waits: Bool = true,
    confirms: Bool = false, code: Bool = false, device: CallbackDevice? = device, desired second: Double? = nil
  ) -> CallbackRequest {
    var request = CallbackRequest(serviceName: "sales", userKey: "user-7")
    request.terms.direction = direction
    request.terms.media = media
    request.terms.waitsForAgent = waits
    request.terms.confirms = confirms
    request.terms.providesCode = code
    request.fields = [NameValuePair("_customer_number", "+4930555010"), NameValuePair("subject", "Order")]
    request.device = device
    request.desiredTime = second.map { time($0) }
    return request
  }

  /// Made at second 0.
  static func given(_ request: CallbackRequest = request(), policy: CallbackPolicy = CallbackPolicy()) throws -> Self {
    var rig = CallbackRig()
    rig.policy = policy
    try rig.when(.create(request), at: 0)
    return rig
  }
}

/// Where a callback can stand, each reached by way of real commands. Agent `a` came at second 10, if one is held.
enum Stage: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// Nothing has happened.
  case absent
  /// For second 600: due at 480.
  case scheduled
  case queued
  /// Until second 310.
  case snoozed
  /// The customer is asked for the first time, until second 40; `a` waits.
  case asked
  /// `a` has gone meanwhile.
  case askedAlone = "asked, no agent"
  /// The customer said yes at second 20; `a` is to accept until second 50.
  case routing
  case routingAlone = "routing, no agent"
  case processing
  /// Cancelled at second 30.
  case completed
  case forgotten

  func rig(_ request: CallbackRequest? = nil, policy: CallbackPolicy = CallbackPolicy()) throws -> CallbackRig {
    var request = request ?? CallbackRig.request(confirms: true)
    if self == .absent { return CallbackRig() }
    if self == .scheduled { request.desiredTime = CallbackRig.time(600) }
    var rig = try CallbackRig.given(request, policy: policy)
    for (action, second) in way { try rig.when(action, at: second) }
    return rig
  }

  private var way: [(CallbackAction, Double)] {
    let came = (CallbackAction.agentAvailable(agentID: "a"), 10.0)
    return switch self {
    case .absent, .scheduled, .queued: []
    case .snoozed: [(.snooze, 10)]
    case .asked: [came]
    case .askedAlone: [came, (.agentReleased(agentID: "a"), 15)]
    case .routing: [came, (.connect, 20)]
    case .routingAlone: [(.connect, 20)]
    case .processing: [came, (.connect, 20), (.agentConnected(agentID: "a"), 25)]
    case .completed: [(.cancel(note: ""), 30)]
    case .forgotten: [(.cancel(note: ""), 30), (.alarm, 30 + 86_400)]
    }
  }

  var testDescription: String { rawValue }
}

// What a turn should have done, in short.
extension CallbackRig.Turn {
  init(_ events: [CallbackEvent], _ effects: [CallbackEffect]) {
    self.events = events
    self.effects = effects
  }
}

extension CallbackEffect {
  static func alarm(_ second: Double) -> CallbackEffect { .setAlarm(at: CallbackRig.time(second)) }
}

extension CallbackPush {
  init(_ number: Int, _ dialog: CallbackDialog, until second: Double? = nil) {
    self.init(number: number, dialog: dialog, expiry: second.map { CallbackRig.time($0) })
  }
}
