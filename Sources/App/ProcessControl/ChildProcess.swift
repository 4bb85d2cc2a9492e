import Synchronization

#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// A program that this one has started; it goes on beside it until it ends, is ended, or is let go of.
///
/// It gets no descriptor but its first three: a socket of this process that lived on there would never be seen closed.
/// No signal is blocked in it, whatever thread starts it.
package final class ChildProcess: Sendable {
  package let pid: pid_t
  private let exitStatus = Mutex<Int32?>(nil)
  private let isBound: Bool
  private let leadsGroup: Bool

  /// - Parameters:
  ///   - executable: a path.
  ///   - name: the first of its arguments; nil: `executable`.
  ///   - environment: all of it; nil: this process's.
  ///   - isBound: a signal that ends this process ends it, too; see `BoundChildren`.
  ///   - signal: what a bound one is ended by then.
  ///   - leadsGroup: what it starts itself gets the signals that it is sent.
  /// - Throws: `SpawnFailure` that says which program, and why.
  package init(
    _ executable: String, _ arguments: [String], name: String? = nil, environment: [String: String]? = nil,
    input: ChildStream = .nothing, output: ChildStream = .inherited, errors: ChildStream = .inherited,
    isBound: Bool = false, endedBy signal: Int32 = SIGKILL, leadsGroup: Bool = false
  ) throws(SpawnFailure) {
    if isBound { BoundChildren.installSignalHandlers }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, descriptor) in [(input, Int32(0)), (output, 1), (errors, 2)] {
      stream.connect(descriptor, in: &actions)
    }
    // Closing one that is not open is no error here.
    for descriptor in 3..<ProcessLimits.descriptors { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    // A group of its own: its number is the process's.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))

    var argv = ([name ?? executable] + arguments).map { strdup($0) } + [nil]
    var envp = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for case let pointer? in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let status =
      environment == nil
      ? posix_spawn(&child, executable, &actions, &attributes, &argv, environ)
      : posix_spawn(&child, executable, &actions, &attributes, &argv, &envp)
    guard status == 0 else { throw SpawnFailure("cannot start \(executable): \(String(cString: strerror(status)))") }
    pid = child
    self.isBound = isBound
    self.leadsGroup = leadsGroup
    if isBound { BoundChildren.add(child, endedBy: signal) }
  }

  /// As the other, with nothing to read and a file that takes all that it writes.
  package convenience init(
    _ executable: String, _ arguments: [String], name: String? = nil, environment: [String: String]? = nil,
    log: String, isBound: Bool = false, endedBy signal: Int32 = SIGKILL
  ) throws(SpawnFailure) {
    try self.init(
      executable, arguments, name: name, environment: environment, output: .file(log), errors: .file(log),
      isBound: isBound, endedBy: signal)
  }

  deinit { endAtOnce() }

  package var isRunning: Bool { poll() == nil }

  /// Sends a signal, unless it has ended already: then the number may be another's.
  package func send(signal number: Int32) {
    exitStatus.withLock { status in
      if status == nil { _ = kill(leadsGroup ? -pid : pid, number) }
    }
  }

  /// The exit code, or minus the signal that ended it; nil while it runs.
  package func poll() -> Int32? {
    exitStatus.withLock { known in
      if let known { return known }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = status & 0x7F
      known = signal == 0 ? (status >> 8) & 0xFF : -signal
      if isBound { BoundChildren.remove(pid) }
      return known
    }
  }

  /// Waits for the end, and keeps the thread meanwhile.
  @discardableResult
  package func waitUntilExit() -> Int32 {
    while true {
      if let status = poll() { return status }
      // It is only looked at here: others may send it signals until `poll` has taken it away.
      var found = siginfo_t()
      _ = waitid(P_PID, id_t(pid), &found, WEXITED | WNOWAIT)
    }
  }

  /// Waits for the end, however long that takes.
  package func ended() async throws -> Int32 {
    while true {
      if let status = poll() { return status }
      try await Task.sleep(for: ProcessLimits.pollInterval)
    }
  }

  /// Waits for the end.
  /// - Returns: nil if it does not come in time; then the process is killed.
  package func wait(atMost timeout: Duration) async throws -> Int32? {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
      if let status = poll() { return status }
      try await Task.sleep(for: ProcessLimits.pollInterval)
    }
    await end()
    return nil
  }

  /// Kills it if it still runs, also from a task that is cancelled.
  package func end() async {
    send(signal: SIGKILL)
    await Task {
      while poll() == nil { try? await Task.sleep(for: ProcessLimits.pollInterval) }
    }.value
  }

  /// Kills it if it still runs, and waits until the kernel has taken it away.
  package func endAtOnce() {
    guard isRunning else { return }
    send(signal: SIGKILL)
    waitUntilExit()
  }
}

/// Why a program was not started, in one line.
package struct SpawnFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Bounds and intervals of this module.
enum ProcessLimits {
  /// How many descriptors this process may have: its limit, or what no program of ours comes near.
  static var descriptors: Int32 { Int32(min(max(sysconf(Int32(_SC_OPEN_MAX)), 1_024), 65_536)) }
  static let pollInterval = Duration.milliseconds(2)
  static let readByteCount = 65_536
}
