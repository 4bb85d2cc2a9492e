public import EventSourcing
import Synchronization

/// Several logs as one: a turn goes to the log of its entity, and whoever waits for all that was appended waits for each.
public final class JointLog: EventLog {
  private let logs: [any EventLog]
  private let place: @Sendable (EntityID) -> Int

  /// - Parameter place: the index of an entity's log.
  public init(_ logs: [any EventLog], place: @escaping @Sendable (EntityID) -> Int) {
    self.logs = logs
    self.place = place
  }

  public func append(_ turn: Turn, lazy: Bool, release: Release?) throws(EventLogError) -> UInt64 {
    try logs[place(turn.id)].append(turn, lazy: lazy, release: release)
  }

  /// It leaves by the outbox of whichever log is durable last.
  public func afterDurable(_ release: @escaping Release) throws(EventLogError) {
    let joint = JointRelease(count: logs.count, release)
    do throws(EventLogError) {
      for log in logs { try log.afterDurable { await joint.passed($0) } }
    } catch {
      joint.revoke()
      throw error
    }
  }
}

/// A release that waits for several logs: lost, if one of them has lost it.
private final class JointRelease: Sendable {
  private struct State {
    var missing: Int
    var fate = Durability.durable
  }

  private let state: Mutex<State>
  private let release: Release

  init(count: Int, _ release: @escaping Release) {
    state = Mutex(State(missing: count))
    self.release = release
  }

  func passed(_ fate: Durability) async {
    let last = state.withLock { state -> Durability? in
      if fate == .lost { state.fate = .lost }
      state.missing -= 1
      return state.missing == 0 ? state.fate : nil
    }
    if let last { await release(last) }
  }

  /// One of the logs does not take it: whoever asked is told so, and by nobody else.
  func revoke() { state.withLock { $0.missing = .max } }
}
