import EventSourcing
import SupportDomain

/// Given, when, then: one entity, its clock and its journal. Every turn goes through the journal's form of its events.
struct Rig<Entity: RestorableState & Equatable> {
  struct Turn: Equatable {
    var events: [Entity.Event] = []
    var effects: [Entity.Effect] = []

    init(_ events: [Entity.Event] = [], _ effects: [Entity.Effect] = []) {
      self.events = events
      self.effects = effects
    }
  }

  private(set) var state = Entity()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []

  /// Gives `command` `second` seconds after the origin.
  @discardableResult
  mutating func when(_ command: Entity.Command, at second: Double = 0) throws -> Turn {
    var turn = Turn(try state.decide(command, now: .second(second)))
    for event in turn.events { turn.effects += try then(event, at: second) }
    return turn
  }

  /// Records an event that no command need have caused.
  @discardableResult
  mutating func then(_ event: Entity.Event, at second: Double = 0) throws -> [Entity.Effect] {
    let stored = StoredEvent(event)
    journal.append((stored, .second(second)))
    state.evolve(try stored.decoded(as: Entity.Event.self), at: .second(second))
    return state.react(to: event)
  }

  /// The state leaves memory and comes back from its bytes.
  mutating func sleepAndWake() throws { state = try Entity(stateBytes: state.stateBytes) }

  /// The state that a restart would find.
  func replayed() throws -> Entity { try replayed(from: 0) }

  /// The state that a restart would find if every record before the last restatement had been erased.
  func replayedFromRestatement() throws -> Entity {
    try replayed(from: journal.lastIndex { Entity.Event.isRestatement($0.event.tag) } ?? 0)
  }

  private func replayed(from start: Int) throws -> Entity {
    var state = Entity()
    for (stored, time) in journal[start...] { state.evolve(try stored.decoded(as: Entity.Event.self), at: time) }
    return state
  }
}

typealias RequestRig = Rig<SupportRequest>
typealias UserRig = Rig<SupportUser>
typealias AppRig = Rig<SupportApp>

extension Timestamp {
  /// Seconds after 2026-03-02T09:00:00Z.
  static func second(_ second: Double) -> Timestamp {
    Timestamp(milliseconds: 1_772_442_000_000).advanced(by: .milliseconds(Int64(second * 1_000)))
  }
}

extension StoredEvent {
  init(tag: EventTag, _ build: (inout PayloadWriter) -> Void) {
    var writer = PayloadWriter()
    build(&writer)
    self.init(tag: tag, payload: writer.bytes)
  }
}
