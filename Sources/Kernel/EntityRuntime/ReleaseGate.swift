import Synchronization

/// Stands in the log for a release that is not made yet.
///
/// The log takes a turn and its place in the outbox in one step, before the turn's effects are known (they are named
/// after `evolve`, and nothing evolves that the log might refuse). The turn opens the gate a moment later; should the
/// sync be quicker, the outbox waits here.
final class ReleaseGate: Sendable {
  private enum State {
    case closed
    case awaited(CheckedContinuation<Release?, Never>)
    case open(Release?)
  }

  private let state = Mutex(State.closed)

  /// What the log holds.
  var release: Release {
    { [self] in await pass()?($0) }
  }

  /// - Parameter release: nil if nothing waits for the turn.
  func open(_ release: Release?) {
    let waiter = state.withLock { state -> CheckedContinuation<Release?, Never>? in
      if case .awaited(let continuation) = state {
        state = .open(nil)
        return continuation
      }
      state = .open(release)
      return nil
    }
    waiter?.resume(returning: release)
  }

  private func pass() async -> Release? {
    if case .open(let release) = state.withLock({ $0 }) { return release }
    return await withCheckedContinuation { continuation in
      let early = state.withLock { state -> Release?? in
        if case .open(let release) = state { return .some(release) }
        state = .awaited(continuation)
        return .none
      }
      if case .some(let release) = early { continuation.resume(returning: release) }
    }
  }
}
