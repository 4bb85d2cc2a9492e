import Glibc
import ProcessControl

/// The peer of the pushes: nghttpd, which speaks HTTP/2 over TLS and answers a POST to a file with 200.
///
/// Each device is an empty file at the path that APNs has for it, so that nothing but nghttpd stands between the client
/// and its answers.
final class Nghttpd: Sendable {
  let port: Int
  /// PEM; the certificate is its own authority.
  let certificate: String
  /// PEM, P-256: also good to sign provider tokens with.
  let key: String
  let log: String

  private let executable: String
  private let root: String

  /// Makes the certificate; nothing listens yet.
  init(in directory: WorkDirectory) async throws {
    executable = try Programs.require("nghttpd", package: "nghttp2-server")
    port = try BenchServer.freePort()
    let pair = try await Certificate.make(in: directory)
    (certificate, key) = (pair.path, pair.keyPath)
    log = directory.path + "/nghttpd.log"
    root = directory.path + "/htdocs"
    for folder in [root, root + "/3", root + "/3/device"] {
      guard mkdir(folder, 0o700) == 0 else { throw BenchError("cannot make \(folder)") }
    }
  }

  var baseURL: String { "https://127.0.0.1:\(port)" }

  /// Lets it know this device.
  func add(device token: String) throws {
    let file = open("\(root)/3/device/\(token)", O_CREAT | O_WRONLY, 0o600)
    guard file >= 0 else { throw BenchError("cannot make a file for a device") }
    close(file)
  }

  /// Starts it, with one worker thread, and waits until it takes connections.
  func start() async throws -> ChildProcess {
    let child = try ChildProcess(
      executable, ["-a", "127.0.0.1", "-d", root, "-m", "1000", "\(port)", key, certificate], log: log,
      isBound: true)
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while ContinuousClock.now < deadline, child.isRunning {
      if LoopbackProbe.takesConnections(port) { return child }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw BenchError("nghttpd does not listen:\n\(Files.text(log) ?? "")")
  }
}
