import CarillonClient
import Glibc
import ProcessControl

/// `carillon standby` of a server of this build, with a data directory of its own that goes away with it.
final class BenchStandby: Sendable {
  let name: String
  let directory: WorkDirectory
  private let child: ChildProcess

  /// Starts it; how far it has come says the server.
  init(of server: BenchServer, name: String = "standby") async throws {
    self.name = name
    directory = try WorkDirectory()
    let tokenFile = directory.path + "/standby.token"
    try Files.write(try await server.createToken(name: name, ["--role", "standby"]), to: tokenFile)
    // With the journal come the server's tokens: who starts on the copy asks with this one.
    try Files.write(server.agentToken, to: directory.path + "/token-bench")
    child = try ChildProcess(
      try BenchServer.executable(),
      [
        "standby", "--from", "http://\(server.address.host):\(server.address.port)", "--token-file", tokenFile,
        "--data-directory", directory.path + "/data", "--name", name,
      ], log: directory.path + "/standby.log", isBound: true)
  }

  var pid: pid_t { child.pid }
  var isRunning: Bool { child.isRunning }
  var log: String { String((Files.text(directory.path + "/standby.log") ?? "").suffix(Limits.logTailBytes)) }

  /// Ends it at once, as a kill would.
  func stop() { child.endAtOnce() }

  /// Has the copy take its server's place; it must have been stopped.
  func promote() async throws {
    let log = directory.path + "/promote.log"
    let status = try await ChildProcess(
      try BenchServer.executable(), ["promote", directory.path + "/data"], log: log, isBound: true
    ).ended()
    guard status == 0 else { throw BenchError("promote ended with \(status):\n\(Files.text(log) ?? "")") }
  }
}
