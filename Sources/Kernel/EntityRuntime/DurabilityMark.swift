import Synchronization

/// A place in the journal that somebody may wait for later.
///
/// Whoever makes much work for the disk waits for the mark of its last but one piece, not of its last: so one piece is
/// made while another is synced.
public final class DurabilityMark: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Durability, Never>)
    case passed(Durability)
  }

  private let state = Mutex(State.open)

  /// Behind everything that was appended so far, and its effects.
  /// - Throws: `.overloaded` or `.failed` if that cannot be waited for.
  public init(in log: any EventLog) throws(EventLogError) {
    try log.afterDurable { self.pass($0) }
  }

  /// Returns once it is durable, or lost; at once if it is already. For one who waits.
  public func passed() async -> Durability {
    await withCheckedContinuation { continuation in
      let early = state.withLock { state -> Durability? in
        if case .passed(let fate) = state { return fate }
        state = .awaited(continuation)
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
  }

  private func pass(_ fate: Durability) {
    let waiter = state.withLock { state -> CheckedContinuation<Durability, Never>? in
      defer { state = .passed(fate) }
      if case .awaited(let continuation) = state { return continuation }
      return nil
    }
    waiter?.resume(returning: fate)
  }
}
