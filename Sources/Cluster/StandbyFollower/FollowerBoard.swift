internal import Synchronization

/// The status as it stands, and who is told of it.
final class FollowerBoard: Sendable {
  private struct State {
    var status: FollowerStatus
    var writtenAt: Int64 = 0
  }

  private let state: Mutex<State>
  private let clock: @Sendable () -> Int64
  private let tell: @Sendable (FollowerStatus) -> Void

  /// - Parameters:
  ///   - clock: milliseconds since 1970.
  ///   - tell: called with each change of the state or the problem, and each second.
  init(
    _ status: FollowerStatus, clock: @escaping @Sendable () -> Int64, tell: @escaping @Sendable (FollowerStatus) -> Void
  ) {
    state = Mutex(State(status: status))
    self.clock = clock
    self.tell = tell
  }

  /// - Returns: the status, if it is due to be written.
  func update(_ change: (inout FollowerStatus) -> Void) -> FollowerStatus? {
    let now = clock()
    let due = state.withLock { state -> FollowerStatus? in
      let old = state.status
      change(&state.status)
      let interval = Int64(FollowerLimits.statusInterval / .milliseconds(1))
      let isNews = state.status.state != old.state || state.status.problem != old.problem
      guard isNews || now - state.writtenAt >= interval || now < state.writtenAt else { return nil }
      state.writtenAt = now
      state.status.atMilliseconds = now
      return state.status
    }
    if let due { tell(due) }
    return due
  }
}
