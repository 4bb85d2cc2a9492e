import CarillonClient
import ProcessControl
import Synchronization
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The server of the demo: a process of its own on loopback, started, killed and started again on one directory.
final class DemoServer: Sendable {
  let address: ServerAddress
  let directory: String
  private let process = Mutex<ChildProcess?>(nil)

  private var configurationFile: String { directory + "/carillon.yaml" }
  private var logFile: String { directory + "/server.log" }

  /// - Parameters:
  ///   - pushURL: where the push receiver listens on loopback.
  ///   - services: sections of the configuration.
  init(directory: String, pushURL: String, services: String) throws {
    self.directory = directory
    guard let port = LoopbackPort.free() else { throw DemoFailure("no free port on loopback") }
    address = ServerAddress(host: "127.0.0.1", port: port)
    try write(
      """
      server:
        host: 127.0.0.1
        port: \(address.port)
        data_directory: \(directory)/data
      push:
        pushEnabled: comet,customhttp
        customhttp.url: \(pushURL)
        webhooks.allow_private: 127.0.0.1/32
        push.retry_schedule: 1,1,2,4
      \(services)

      """, to: configurationFile)
  }

  /// `carillon token create`.
  func makeToken(name: String, role: String = "agent") async throws -> String {
    let output = try await run(["token", "create", "--name", name, "--role", role, "--config", configurationFile])
    // What earlier ones printed stands before it.
    guard let token = output.split(whereSeparator: \.isWhitespace).last(where: { $0.hasPrefix("car_") }) else {
      throw DemoFailure("token create printed no token: \(output)")
    }
    return String(token)
  }

  /// `carillon journal verify`.
  func verifyJournal() async throws -> String { try await run(["journal", "verify", "--config", configurationFile]) }

  /// `carillon journal timeline` of one customer.
  func timeline(of subject: String) async throws -> String {
    try await run(["journal", "timeline", "--config", configurationFile, "--subject", subject])
  }

  /// `carillon journal timeline` of one thing, as `kind:key`.
  func timeline(ofEntity entity: String) async throws -> String {
    try await run(["journal", "timeline", "--config", configurationFile, "--entity", entity])
  }

  /// Starts the server and waits until it is ready.
  /// - Returns: how long that took.
  func start() async throws -> Duration {
    let begin = ContinuousClock.now
    let started = try Self.start(["serve", "--config", configurationFile], log: logFile)
    process.withLock { $0 = started }
    let pool = HTTPPool(address)
    defer { pool.shutDown() }
    while ContinuousClock.now - begin < DemoLimits.readyTimeout {
      if let status = started.poll() { throw DemoFailure("the server ended with \(status) instead of becoming ready") }
      let response = try? await pool.response(to: HTTPRequest(.get, "/health/ready"), timeout: .seconds(1))
      if response?.status == 200 { return ContinuousClock.now - begin }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw DemoFailure("the server was not ready within \(DemoScreen.seconds(DemoLimits.readyTimeout))")
  }

  /// SIGKILL: no goodbye, no last write.
  func killNow() async throws {
    guard let running = process.withLock({ $0 }) else { return }
    running.send(signal: SIGKILL)
    let status = try await Self.status(of: running)
    guard status == -SIGKILL else { throw DemoFailure("the server ended with \(status) before it was killed") }
  }

  /// SIGTERM: a graceful stop.
  func stop() async throws {
    guard let running = process.withLock({ $0 }) else { return }
    running.send(signal: SIGTERM)
    let status = try await Self.status(of: running)
    guard status == 0 else { throw DemoFailure("the server ended with \(status) after SIGTERM") }
  }

  /// Whatever state it is in.
  func end() async {
    await process.withLock({ $0 })?.end()
  }

  var logTail: String {
    guard let bytes = read(logFile) else { return "" }
    return String(decoding: bytes.suffix(DemoLimits.logTailBytes), as: UTF8.self)
  }

  /// This program once more, with other arguments; ended with the demo, whatever ends that.
  /// - Parameter log: the file that takes what it writes.
  private static func start(_ arguments: [String], log: String) throws -> ChildProcess {
    try ChildProcess("/proc/self/exe", arguments, name: "carillon", log: log, isBound: true)
  }

  private static func status(of process: ChildProcess) async throws -> Int32 {
    if let status = try await process.wait(atMost: DemoLimits.stopTimeout) { return status }
    throw DemoFailure(
      "process \(process.pid) did not end within \(DemoScreen.seconds(DemoLimits.stopTimeout))")
  }

  /// Another command of this program, to its end.
  private func run(_ arguments: [String]) async throws -> String {
    let output = "\(directory)/\(arguments[0])-\(arguments[1]).txt"
    let status = try await Self.status(of: Self.start(arguments, log: output))
    let text = String(decoding: read(output) ?? [], as: UTF8.self)
    guard status == 0 else {
      throw DemoFailure("carillon \(arguments[0]) \(arguments[1]) ended with \(status): \(text)")
    }
    return text
  }

  private func write(_ text: String, to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }

  private func read(_ path: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
    defer { try? file.close() }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while let count = try? chunk.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }
}
