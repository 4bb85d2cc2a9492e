import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells the service manager how this process fares. Without one it does nothing.
package final class Supervisor: Sendable {
  private struct State {
    var machine: SupervisionMachine
    /// Whether the pulse that was asked for last has come back; true if none was yet.
    var answers = true
  }

  /// While the journal is read, people look this often.
  private static let interval = Duration.seconds(1)

  private let socket: NotifySocket?
  private let pace: Duration
  private let state: Mutex<State>

  package init(environment: [String: String]) {
    socket = NotifySocket(environment: environment)
    let watchdog = WatchdogInterval(environment: environment)
    pace = watchdog.map { min($0.pulse, Self.interval) } ?? Self.interval
    state = Mutex(State(machine: SupervisionMachine(watchdog: watchdog)))
  }

  /// Runs `body` and tells of it meanwhile.
  /// - Parameters:
  ///   - progress: how far the start is.
  ///   - pulse: asks the engine whether it works; what it is handed is called once it does, and never while it does not.
  package func watch<Value: Sendable>(
    progress: @escaping @Sendable () -> StartProgress,
    pulse: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard socket != nil else { return try await body() }
    // Whatever becomes of the task below: more time is asked for before the start begins.
    tell { $0.machine.tick(progress(), answers: $0.answers) }
    async let _ = tick(progress, pulse)
    do {
      let value = try await body()
      stops()
      return value
    } catch {
      stops()
      throw error
    }
    // Leaving ends the ticking: a child that nobody has awaited is cancelled.
  }

  private func tick(
    _ progress: @Sendable () -> StartProgress, _ pulse: @Sendable (@escaping @Sendable () -> Void) -> Void
  ) async {
    while !Task.isCancelled {
      tell { $0.machine.tick(progress(), answers: $0.answers) }
      let asks = state.withLock { state in
        // One that has not come back is waited for: it is the sign.
        guard state.machine.phase == .serving, state.answers else { return false }
        state.answers = false
        return true
      }
      if asks { pulse { [self] in state.withLock { $0.answers = true } } }
      try? await Task.sleep(for: pace)
    }
  }

  /// The start is over, and all is listened on.
  package func becameReady(_ status: String) { tell { $0.machine.becameReady(status) } }

  package func reloads() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    tell { $0.machine.reloads(atMonotonicMicroseconds: microseconds) }
  }

  /// - Parameter refused: whether the configuration was, so that nothing has changed.
  package func reloaded(refused: Bool) { tell { $0.machine.reloaded(refused: refused) } }

  package func stops() { tell { $0.machine.stops() } }

  private func tell(_ turn: (inout sending State) -> [ServiceNotice]) {
    // Within the lock, so that they arrive in the order of the turns; a send never waits.
    state.withLock { state in
      let notices = turn(&state)
      _ = socket?.send(notices)
    }
  }
}
