internal import Synchronization

/// Bounds what is in flight, in all and for each host, and lets the waiting ones in: hosts in turn, and those of one
/// host in the order in which they came.
final class InFlightLimiter: Sendable {
  enum Admission: Sendable, Equatable {
    /// Every such admission must be given back with `leave`.
    case admitted
    /// Too many wait already.
    case full
    case cancelled
  }

  private struct Waiter {
    let ticket: UInt64
    let continuation: CheckedContinuation<Admission, Never>
  }

  private struct Host {
    var inFlight = 0
    var waiters: [Waiter] = []
  }

  private struct State {
    var hosts: [String: Host] = [:]
    /// The hosts with waiters, each once, the next one first.
    var turns: [String] = []
    var inFlight = 0
    var waiting = 0
    var tickets: UInt64 = 0
  }

  private let inFlightMaximum: Int
  private let perHostMaximum: Int
  private let waitingMaximum: Int
  private let state = Mutex(State())

  init(inFlightMaximum: Int, perHostMaximum: Int, waitingMaximum: Int) {
    precondition(inFlightMaximum > 0 && perHostMaximum > 0, "something must be allowed to be in flight")
    self.inFlightMaximum = inFlightMaximum
    self.perHostMaximum = perHostMaximum
    self.waitingMaximum = waitingMaximum
  }

  var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting) } }

  /// Waits for a place. Cancelling the task ends the wait.
  func enter(_ host: String) async -> Admission {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Admission? = state.withLock { state in
          // Asked under the lock: a cancellation from now on finds the waiter.
          if Task.isCancelled { return .cancelled }
          var entry = state.hosts[host] ?? Host()
          if state.inFlight < inFlightMaximum && entry.inFlight < perHostMaximum {
            entry.inFlight += 1
            state.inFlight += 1
            state.hosts[host] = entry
            return .admitted
          }
          if state.waiting >= waitingMaximum { return .full }
          if entry.waiters.isEmpty { state.turns.append(host) }
          entry.waiters.append(Waiter(ticket: ticket, continuation: continuation))
          state.waiting += 1
          state.hosts[host] = entry
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      cancel(ticket, host)
    }
  }

  /// Gives a place back.
  func leave(_ host: String) {
    let next: CheckedContinuation<Admission, Never>? = state.withLock { state in
      guard var entry = state.hosts[host] else { return nil }
      entry.inFlight -= 1
      state.inFlight -= 1
      state.hosts[host] = entry.inFlight == 0 && entry.waiters.isEmpty ? nil : entry
      return admitNext(&state)
    }
    next?.resume(returning: .admitted)
  }

  private func admitNext(_ state: inout State) -> CheckedContinuation<Admission, Never>? {
    guard state.inFlight < inFlightMaximum,
      let turn = state.turns.firstIndex(where: { (state.hosts[$0]?.inFlight ?? 0) < perHostMaximum }),
      var entry = state.hosts[state.turns[turn]]
    else { return nil }
    let host = state.turns.remove(at: turn)
    let waiter = entry.waiters.removeFirst()
    if !entry.waiters.isEmpty { state.turns.append(host) }
    entry.inFlight += 1
    state.hosts[host] = entry
    state.inFlight += 1
    state.waiting -= 1
    return waiter.continuation
  }

  private func cancel(_ ticket: UInt64, _ host: String) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.hosts[host]?.waiters.firstIndex(where: { $0.ticket == ticket }),
        let waiter = state.hosts[host]?.waiters.remove(at: index)
      else { return nil }
      state.waiting -= 1
      if let entry = state.hosts[host], entry.waiters.isEmpty {
        state.turns.removeAll { $0 == host }
        if entry.inFlight == 0 { state.hosts[host] = nil }
      }
      return waiter
    }
    waiter?.continuation.resume(returning: .cancelled)
  }
}
