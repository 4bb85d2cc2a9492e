import Glibc
import Synchronization

/// A program that this one has started and will end, whatever happens.
final class ChildProcess: Sendable {
  let pid: pid_t
  private let isReaped = Mutex(false)

  /// Children to kill when a signal ends this process: few, and read by a signal handler, hence fixed slots.
  private static let slots = [Slot(), Slot(), Slot(), Slot()]

  private final class Slot: Sendable { let pid = Atomic<Int32>(0) }

  /// - Parameter log: the file that takes what the program writes.
  init(_ executable: String, _ arguments: [String], log: String) throws {
    Self.installSignalHandlers
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
    defer { for case let pointer? in argv { free(pointer) } }
    var child: pid_t = 0
    let status = posix_spawn(&child, executable, &actions, nil, &argv, environ)
    guard status == 0 else { throw BenchError("cannot start \(executable): \(String(cString: strerror(status)))") }
    pid = child
    for slot in Self.slots where slot.pid.compareExchange(expected: 0, desired: child, ordering: .relaxed).exchanged {
      break
    }
  }

  deinit { kill() }

  /// True until the program has ended.
  var isRunning: Bool {
    isReaped.withLock { isReaped in
      guard !isReaped else { return false }
      var status: Int32 = 0
      if waitpid(pid, &status, WNOHANG) == pid {
        isReaped = true
        forget()
      }
      return !isReaped
    }
  }

  /// Ends the program at once and waits until the kernel has taken it away.
  func kill() {
    isReaped.withLock { isReaped in
      guard !isReaped else { return }
      _ = Glibc.kill(pid, SIGKILL)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      isReaped = true
      forget()
    }
  }

  private func forget() {
    for slot in Self.slots { _ = slot.pid.compareExchange(expected: pid, desired: 0, ordering: .relaxed) }
  }

  /// Runs a program to its end and returns its exit code, -1 if a signal ended it.
  static func run(_ executable: String, _ arguments: [String], log: String) async throws -> Int32 {
    let child = try ChildProcess(executable, arguments, log: log)
    var status: Int32 = 0
    while waitpid(child.pid, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    child.isReaped.withLock { $0 = true }
    child.forget()
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }

  private static let installSignalHandlers: Void = {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        // Only what a signal handler may call.
        for slot in ChildProcess.slots {
          let child = slot.pid.load(ordering: .relaxed)
          if child > 0 { _ = Glibc.kill(child, SIGKILL) }
        }
        _exit(128 + number)
      }
    }
  }()
}
