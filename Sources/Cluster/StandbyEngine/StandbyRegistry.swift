import StandbyWire
import Synchronization

/// Who follows, how far each has come, and since when.
final class StandbyRegistry: Sendable {
  private struct Standby {
    /// Of its stream.
    var ticket: UInt64
    var outlet: StreamOutlet?
    var since: Int64
    var acknowledged: UInt64?
  }

  private struct State {
    var standbys: [StandbyName: Standby] = [:]
    var history = DurableHistory()
    var nextTicket: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  var connectedCount: Int { state.withLock { $0.standbys.values.count { $0.outlet != nil } } }

  /// Nobody follows, nor has since the start.
  var isEmpty: Bool { state.withLock { $0.standbys.isEmpty } }

  /// - Parameter outlet: gets what is announced from now on; that of an older stream of the same name is closed.
  /// - Returns: what to say when the stream ends.
  /// - Throws: `tooMany`, `notReady`.
  func enter(_ name: StandbyName, _ outlet: StreamOutlet, at milliseconds: Int64) throws(StandbyRefusal) -> UInt64 {
    let (ticket, older) = try state.withLock { state throws(StandbyRefusal) in
      guard !state.isClosed else { throw .notReady }
      if state.standbys[name] == nil, state.standbys.count >= StandbyLimits.standbyCountMaximum {
        // One that has left makes room.
        let left = state.standbys.filter { $0.value.outlet == nil }.min { $0.value.since < $1.value.since }
        guard let left else { throw .tooMany }
        state.standbys[left.key] = nil
      }
      state.nextTicket += 1
      let former = state.standbys[name]
      state.standbys[name] = Standby(
        ticket: state.nextTicket, outlet: outlet, since: milliseconds, acknowledged: former?.acknowledged)
      return (state.nextTicket, former?.outlet)
    }
    older?.close()
    return ticket
  }

  func leave(_ name: StandbyName, _ ticket: UInt64, at milliseconds: Int64) {
    state.withLock { state in
      guard state.standbys[name]?.ticket == ticket else { return }
      state.standbys[name]?.outlet = nil
      state.standbys[name]?.since = milliseconds
    }
  }

  /// - Throws: `notFollowing` if it has no stream, or was not sent that much.
  func acknowledged(_ acknowledgement: StandbyAcknowledgement) throws(StandbyRefusal) {
    try state.withLock { state throws(StandbyRefusal) in
      guard var standby = state.standbys[acknowledgement.name], let outlet = standby.outlet,
        outlet.covers(acknowledgement)
      else { throw .notFollowing }
      // Two requests may overtake each other.
      standby.acknowledged = max(standby.acknowledged ?? 0, acknowledgement.position)
      state.standbys[acknowledgement.name] = standby
    }
  }

  /// Whether it has acknowledged something, also before this stream, and not all up to `position`.
  func owes(_ name: StandbyName, _ ticket: UInt64, _ position: UInt64) -> Bool {
    state.withLock { state in
      guard let standby = state.standbys[name], standby.ticket == ticket, let acknowledged = standby.acknowledged else {
        return false
      }
      return acknowledged < position
    }
  }

  func announce(_ message: StandbyMessage) {
    for outlet in state.withLock({ $0.standbys.values.compactMap(\.outlet) }) { outlet.put(message) }
  }

  /// The journal is durable up to `position`.
  func note(_ position: UInt64, at milliseconds: Int64) {
    state.withLock { state in
      guard !state.standbys.isEmpty else { return }
      state.history.note(position, at: milliseconds)
    }
  }

  /// Lets nobody new in.
  func close() { state.withLock { $0.isClosed = true } }

  /// Ends all streams.
  func end() {
    for outlet in state.withLock({ $0.standbys.values.compactMap(\.outlet) }) { outlet.close() }
  }

  /// All, by name.
  /// - Parameter position: the last one on the disk.
  func standings(at milliseconds: Int64, durable position: UInt64) -> [StandbyStanding] {
    state.withLock { state in
      state.standbys.sorted { $0.key.text < $1.key.text }.map { name, standby in
        let isBehind = (standby.acknowledged ?? 0) < position
        return StandbyStanding(
          name: name, isConnected: standby.outlet != nil, since: standby.since, acknowledged: standby.acknowledged,
          recordsBehind: standby.acknowledged.map { position - min($0, position) },
          millisecondsBehind: isBehind
            ? state.history.waiting(behind: standby.acknowledged ?? 0, at: milliseconds) : 0)
      }
    }
  }
}
