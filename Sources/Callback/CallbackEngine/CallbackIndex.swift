import CallbackDomain
import EventSourcing
import Synchronization

/// Finds callbacks by what the outside knows of them, and counts what is bounded: open ones and time slots of a service.
/// Rebuilt from the callbacks themselves after a restart.
///
/// A place is reserved before a callback is made or moved, in the same breath in which the bound is looked at: however
/// many come at once, no slot gets more than it holds. The reservation becomes the callback's own with its next note.
final class CallbackIndex: Sendable {
  struct Slot: Hashable {
    let service: String
    let start: Timestamp
  }

  /// For a callback that has no note yet; counts as an open one.
  private struct Reservation {
    let service: String
    let slot: Timestamp?
  }

  /// Most values lead to one callback.
  private enum Keys {
    case one(String)
    case several(Set<String>)
  }

  private struct State {
    var notes: [String: CallbackNote] = [:]
    var open: [String: Int] = [:]
    var byStatus: [CallbackStatus: Int] = [:]
    var slots: [Slot: Int] = [:]
    var reservations: [String: Reservation] = [:]
    var byField: [String: Keys] = [:]
    /// By the hour of their time, for windows.
    var byHour: [Int64: Set<String>] = [:]
    var byAgent: [String: Set<String>] = [:]
  }

  private let state = Mutex(State())

  subscript(id: String) -> CallbackNote? { state.withLock { $0.notes[id] } }
  var count: Int { state.withLock { $0.notes.count } }

  func reserveCapacity(_ count: Int) { state.withLock { $0.notes.reserveCapacity(count) } }

  // MARK: Bounds

  enum Obstacle: Error, Equatable { case tooManyOpen, slotFull }

  /// Holds a place for a new callback until its first note, or until `release`.
  func reserve(
    _ id: String, service: String, openMaximum: Int, slot: Timestamp?, capacity: Int
  ) throws(Obstacle) {
    try state.withLock { state throws(Obstacle) in
      guard state.open[service, default: 0] < openMaximum else { throw .tooManyOpen }
      try Self.take(slot, of: service, capacity, &state)
      state.open[service, default: 0] += 1
      state.reservations[id] = Reservation(service: service, slot: slot)
    }
  }

  /// Gives back what was reserved and not used.
  func release(_ id: String) {
    state.withLock { state in
      guard let reservation = state.reservations.removeValue(forKey: id) else { return }
      Self.give(reservation.slot, of: reservation.service, &state)
      Self.subtract(1, from: reservation.service, &state.open)
    }
  }

  /// Holds a place in a slot for a callback that is to move there, or to stay, until `release` of it. In between the
  /// callback may count twice: a slot may look full for a moment, but never gets too much.
  func reserve(_ slot: Slot, for id: String, capacity: Int) throws(Obstacle) {
    try state.withLock { state throws(Obstacle) in
      let note = state.notes[id]
      let isOwn = note?.takenSlot == slot.start && note?.serviceName == slot.service
      try Self.take(slot.start, of: slot.service, isOwn ? capacity + 1 : capacity, &state)
    }
  }

  func release(_ slot: Slot) { state.withLock { Self.give(slot.start, of: slot.service, &$0) } }

  private static func take(
    _ slot: Timestamp?, of service: String, _ capacity: Int, _ state: inout State
  ) throws(Obstacle) {
    guard let slot else { return }
    let key = Slot(service: service, start: slot)
    guard state.slots[key, default: 0] < capacity else { throw .slotFull }
    state.slots[key, default: 0] += 1
  }

  private static func give(_ slot: Timestamp?, of service: String, _ state: inout State) {
    guard let slot else { return }
    subtract(1, from: Slot(service: service, start: slot), &state.slots)
  }

  private static func subtract<Key>(_ count: Int, from key: Key, _ counts: inout [Key: Int]) {
    let left = counts[key, default: 0] - count
    counts[key] = left > 0 ? left : nil
  }

  /// What each of these slots has taken.
  func taken(of service: String, _ starts: [Timestamp]) -> [Int] {
    state.withLock { state in starts.map { state.slots[Slot(service: service, start: $0)] ?? 0 } }
  }

  /// Callbacks of all services, those whose record is still kept among them.
  var counts: [CallbackStatus: Int] { state.withLock { $0.byStatus } }

  // MARK: Following

  /// What a callback says of itself now; nil once it is gone.
  /// - Returns: what it said before.
  @discardableResult
  func set(_ id: String, _ note: CallbackNote?) -> CallbackNote? {
    state.withLock { state in
      let before = state.notes[id]
      if let before { Self.leave(id, before, &state) }
      if note != nil, let reservation = state.reservations.removeValue(forKey: id) {
        Self.give(reservation.slot, of: reservation.service, &state)
        Self.subtract(1, from: reservation.service, &state.open)
      }
      if let note { Self.enter(id, note, &state) }
      state.notes[id] = note
      return before
    }
  }

  private static func enter(_ id: String, _ note: CallbackNote, _ state: inout State) {
    if note.isOpen { state.open[note.serviceName, default: 0] += 1 }
    state.byStatus[note.status, default: 0] += 1
    if let slot = note.takenSlot { state.slots[Slot(service: note.serviceName, start: slot), default: 0] += 1 }
    #if CARILLON_CANARIES
      if Canary.sings(.slotCountedShort), note.agentID != nil { give(note.takenSlot, of: note.serviceName, &state) }
    #endif
    for field in lookUps(note) {
      switch state.byField[field] {
      case nil: state.byField[field] = .one(id)
      case .one(let other): state.byField[field] = .several([other, id])
      case .several(var keys):
        state.byField[field] = nil
        keys.insert(id)
        state.byField[field] = .several(keys)
      }
    }
    state.byHour[hour(note.time), default: []].insert(id)
    if let agent = note.agentID, note.isOpen { state.byAgent[agent, default: []].insert(id) }
  }

  private static func leave(_ id: String, _ note: CallbackNote, _ state: inout State) {
    if note.isOpen { subtract(1, from: note.serviceName, &state.open) }
    subtract(1, from: note.status, &state.byStatus)
    give(note.takenSlot, of: note.serviceName, &state)
    for field in lookUps(note) {
      switch state.byField[field] {
      case nil: break
      case .one(let other): if other == id { state.byField[field] = nil }
      case .several(var keys):
        state.byField[field] = nil
        keys.remove(id)
        if !keys.isEmpty { state.byField[field] = .several(keys) }
      }
    }
    remove(id, from: hour(note.time), &state.byHour)
    if let agent = note.agentID { remove(id, from: agent, &state.byAgent) }
  }

  private static func remove<Key>(_ id: String, from key: Key, _ table: inout [Key: Set<String>]) {
    table[key]?.remove(id)
    if table[key]?.isEmpty == true { table[key] = nil }
  }

  private static func lookUps(_ note: CallbackNote) -> [String] {
    var names = note.fields.map { "\($0.name)=\($0.value)" }
    if let code = note.accessCode { names.append("_access_code=\(code)") }
    if let user = note.user { names.append(customer(user)) }
    return names
  }

  /// No name of a field is empty: nobody finds callbacks by it who may only look for fields.
  private static func customer(_ user: String) -> String { "=\(user)" }

  private static func hour(_ time: Timestamp) -> Int64 { Int64((Double(time.milliseconds) / 3_600_000).rounded(.down)) }

  // MARK: Finding

  /// Callbacks with this value; nil if `name` is nothing that callbacks are found by, as far as any of them says.
  func keys(_ name: String, _ value: String) -> Set<String> {
    state.withLock { state in
      switch state.byField["\(name)=\(value)"] {
      case nil: []
      case .one(let key): [key]
      case .several(let keys): keys
      }
    }
  }

  /// Callbacks of this customer, also those that are over.
  func keys(ofUser user: String) -> Set<String> { keys("", user) }

  /// Open callbacks of which customers chat, or did before they were put off.
  var chatting: [String] {
    state.withLock { state in
      state.notes.filter { $0.value.isChat && $0.value.isOpen }.map(\.key).sorted()
    }
  }

  /// Open callbacks that this agent is held for or talks in.
  func keys(ofAgent agentID: String) -> Set<String> { state.withLock { $0.byAgent[agentID] ?? [] } }

  /// Where a callback stands in lists: by its time. As a text it says where a list goes on.
  struct Place: Comparable {
    let time: Timestamp
    let key: String

    static func < (left: Place, right: Place) -> Bool {
      left.time == right.time ? left.key < right.key : left.time < right.time
    }

    var cursor: String { "\(time.milliseconds).\(key)" }

    init(time: Timestamp, key: String) {
      self.time = time
      self.key = key
    }

    /// Nil for a text that `cursor` has not made.
    init?(cursor: String) {
      let parts = cursor.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
      self.init(time: Timestamp(milliseconds: milliseconds), key: String(parts[1]))
    }
  }

  /// The next ones of this agent.
  func places(
    ofAgent agentID: String, after place: Place?, limit: Int, where fits: (CallbackNote) -> Bool
  ) -> [Place] {
    state.withLock { state in
      let own = (state.byAgent[agentID] ?? []).compactMap { key in
        state.notes[key].flatMap { fits($0) ? Place(time: $0.time, key: key) : nil }
      }
      return Array(own.filter { own in place.map { $0 < own } ?? true }.sorted().prefix(limit))
    }
  }

  /// The next ones that fit, of those whose time lies in a window.
  func places(
    from start: Timestamp = Timestamp(milliseconds: .min), to end: Timestamp = Timestamp(milliseconds: .max),
    after place: Place?, limit: Int, where fits: (String, CallbackNote) -> Bool
  ) -> [Place] {
    let start = place.map { max(start, $0.time) } ?? start
    return state.withLock { state in
      let (first, last) = (Self.hour(start), Self.hour(end))
      guard first <= last else { return [] }
      // A window may be longer than the table.
      let hours =
        last - first < Int64(state.byHour.count)
        ? Array(first...last) : state.byHour.keys.filter { (first...last).contains($0) }.sorted()
      var found: [Place] = []
      for hour in hours where found.count < limit {
        for key in state.byHour[hour] ?? [] {
          guard let note = state.notes[key], note.time >= start, note.time <= end else { continue }
          let own = Place(time: note.time, key: key)
          if place.map({ $0 < own }) ?? true, fits(key, note) { found.append(own) }
        }
      }
      return Array(found.sorted().prefix(limit))
    }
  }

  /// The same by their keys.
  func keys(
    from start: Timestamp, to end: Timestamp, limit: Int, where fits: (String, CallbackNote) -> Bool
  ) -> [String] {
    places(from: start, to: end, after: nil, limit: limit, where: fits).map(\.key)
  }
}
