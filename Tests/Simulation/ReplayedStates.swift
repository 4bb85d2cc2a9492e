import Engine
import EventSourcing

/// The states that the durable records give from the first on, with the domains' own `evolve` and nothing of the
/// engine's replay: of every kind in the catalogue.
final class ReplayedStates {
  private var kinds: [UInt8: any ReplayedKind] = [:]

  init() {
    var making = Making()
    for card in Catalogue.carillon.cards { try? card.open(&making) }
    kinds = making.kinds
  }

  private struct Making: KindVisitor {
    var kinds: [UInt8: any ReplayedKind] = [:]

    mutating func visit<State: RestorableState & Encodable>(_ card: EntityCard, _ type: State.Type) {
      kinds[card.kind.rawValue] = Replayed<State>(card.kind)
    }
  }

  func apply(_ record: JournalMirror.Record) throws { try kinds[record.kind]?.apply(record) }

  /// The state of one entity; nil if it has no record.
  func state<State: RestorableState>(_ type: State.Type, _ id: EntityID) -> State? {
    (kinds[id.kind.rawValue] as? Replayed<State>)?.entries[id.key]?.state
  }

  /// Kind, key, number of the last event and state of everything that lives.
  var bytes: [EntityID: (sequence: UInt64, state: [UInt8])] {
    var all: [EntityID: (sequence: UInt64, state: [UInt8])] = [:]
    for kind in kinds.values { kind.addLiving(to: &all) }
    return all
  }
}

private protocol ReplayedKind: AnyObject {
  func apply(_ record: JournalMirror.Record) throws
  func addLiving(to all: inout [EntityID: (sequence: UInt64, state: [UInt8])])
}

/// The entities of one kind.
private final class Replayed<State: RestorableState>: ReplayedKind {
  struct Entry {
    var state = State()
    var sequence: UInt64 = 0
  }

  private let kind: EntityKind
  private(set) var entries: [String: Entry] = [:]

  init(_ kind: EntityKind) { self.kind = kind }

  func apply(_ record: JournalMirror.Record) throws {
    var entry = entries[record.key] ?? Entry()
    guard record.sequence == entry.sequence + 1 else {
      throw Failure(
        .replayGivesTheSame, "\(record.key) has record \(record.sequence) behind \(entry.sequence)")
    }
    // The dictionary gives its state up meanwhile, so that nothing is copied.
    entries[record.key] = nil
    entry.sequence = record.sequence
    entry.state.evolve(
      try record.event(State.Event.self), at: Timestamp(milliseconds: record.timeMilliseconds))
    entries[record.key] = entry
  }

  func addLiving(to all: inout [EntityID: (sequence: UInt64, state: [UInt8])]) {
    for (key, entry) in entries where !entry.state.isFinished {
      all[EntityID(kind, key)] = (entry.sequence, entry.state.stateBytes)
    }
  }
}
