import Glibc
import ProcessControl

/// A server of others, started for one measurement, with the processes that it makes itself.
final class PeerProcess: Sendable {
  private let child: ChildProcess
  private let name: String
  private let log: String
  private let signal: Int32

  /// - Parameter signal: what it ends at, together with its processes.
  init(
    _ executable: String, _ arguments: [String], name: String, in directory: WorkDirectory, endedBy signal: Int32
  ) throws {
    self.name = name
    self.signal = signal
    let file = directory.path + "/\(name).log"
    log = file
    let command = try Pinning.ofServer([executable] + arguments)
    child = try ChildProcess(command[0], Array(command.dropFirst()), log: file, isBound: true, endedBy: signal)
  }

  var pid: pid_t { child.pid }

  func waitUntilListening(_ port: Int) async throws {
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while ContinuousClock.now < deadline, child.isRunning {
      if LoopbackProbe.takesConnections(port) { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw BenchError("\(name) does not listen:\n\(logTail)")
  }

  var logTail: String { String((Files.text(log) ?? "").suffix(Limits.logTailBytes)) }

  /// Does something with it, and ends it, however that ends; what goes wrong is told with the end of its log.
  func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
      let result = try await work()
      await stop()
      return result
    } catch {
      await stop()
      throw BenchError("\(error)\n\(name)'s log ends with:\n\(logTail)")
    }
  }

  /// Asks it to end, and kills it if it does not.
  func stop() async {
    child.send(signal: signal)
    _ = try? await child.wait(atMost: Limits.drainTimeout)
  }
}
