import Foundation
import Synchronization

/// A program started by a test, in the background; whoever starts one ends it.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let exitStatus = Mutex<Int32?>(nil)

  /// - Parameters:
  ///   - environment: added to the test's own, from which everything that would configure Carillon is taken out.
  ///   - log: the file that what it writes is appended to.
  ///   - pipes: its standard input and output, if these are not nothing and the log.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:], log: String,
    pipes: (input: Int32, output: Int32)? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    if let pipes {
      posix_spawn_file_actions_adddup2(&actions, pipes.input, 0)
      posix_spawn_file_actions_adddup2(&actions, pipes.output, 1)
    }
    // Sockets of the test must not live on in the child: their peers would never see them closed. Closing one that is
    // not open is no error here.
    for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    let variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARILLON_") }
      .merging(environment) { _, new in new }
    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for case let pointer? in argv + envp { free(pointer) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, executable, &actions, nil, &argv, &envp)
    guard status == 0 else { throw EndToEndFailure("cannot start \(executable): \(String(cString: strerror(status)))") }
    pid = child
  }

  var isRunning: Bool { poll() == nil }

  /// Sends a signal, unless it has ended already: then the number may be another's.
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
      return known
    }
  }

  /// Waits for the end.
  /// - Throws: `EndToEndFailure` if it does not come in time; then the process is killed.
  @discardableResult
  func wait(atMost timeout: Duration = .seconds(20)) async throws -> Int32 {
    let deadline = ContinuousClock.now + timeout
    while ContinuousClock.now < deadline {
      if let status = poll() { return status }
      try await Task.sleep(for: .milliseconds(2))
    }
    await end()
    throw EndToEndFailure("process \(pid) did not end within \(timeout)")
  }

  /// Kills it if it still runs, also from a task that is cancelled.
  func end() async {
    send(signal: SIGCONT)
    send(signal: SIGKILL)
    await Task {
      while poll() == nil { try? await Task.sleep(for: .milliseconds(2)) }
    }.value
  }
}

/// Why a test cannot go on.
struct EndToEndFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
