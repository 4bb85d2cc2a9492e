import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// This program once more, with other arguments; ended with the demo, whatever ends that.
final class DemoProcess: Sendable {
  let pid: pid_t
  private let exitStatus = Mutex<Int32?>(nil)

  /// The one that a signal handler ends.
  private static let current = Atomic<Int32>(0)

  /// - Parameter log: the file that takes what it writes.
  init(_ arguments: [String], log: String) throws {
    Self.installSignalHandlers
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let executable = "/proc/self/exe"
    var argv: [UnsafeMutablePointer<CChar>?] = (["carillon"] + arguments).map { strdup($0) } + [nil]
    defer { for case let pointer? in argv { free(pointer) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, executable, &actions, nil, &argv, environ)
    guard status == 0 else { throw DemoFailure("cannot start \(executable): \(String(cString: strerror(status)))") }
    pid = child
    Self.current.store(child, ordering: .relaxed)
  }

  /// Sends a signal, unless it has ended already.
  func send(signal number: Int32) {
    exitStatus.withLock { status in
      if status == nil { _ = kill(pid, number) }
    }
  }

  /// The exit code, or minus the signal that ended it; nil while it runs.
  func poll() -> Int32? {
    exitStatus.withLock { known in
      if let known { return known }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = status & 0x7F
      known = signal == 0 ? (status >> 8) & 0xFF : -signal
      _ = Self.current.compareExchange(expected: pid, desired: 0, ordering: .relaxed)
      return known
    }
  }

  /// Waits for the end.
  /// - Throws: `DemoFailure` if it does not come in time; then the process is killed.
  func wait(atMost timeout: Duration) async throws -> Int32 {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
      if let status = poll() { return status }
      try await Task.sleep(for: .milliseconds(5))
    }
    send(signal: SIGKILL)
    throw DemoFailure("process \(pid) did not end within \(DemoScreen.seconds(timeout))")
  }

  /// Ctrl-C and its kind end the demo and what it has started.
  private static let installSignalHandlers: Void = {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        // Only what a signal handler may call.
        let child = DemoProcess.current.load(ordering: .relaxed)
        if child > 0 { _ = kill(child, SIGKILL) }
        _exit(128 + number)
      }
    }
  }()
}
