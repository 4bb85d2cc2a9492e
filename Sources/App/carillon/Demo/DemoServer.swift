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
  /// The server, or what follows another one in its place.
  let process = Mutex<ChildProcess?>(nil)

  private let data: String?
  private let pushURL: String
  private let services: String
  /// Whether a signal that ends this process kills what it has started; else it is this process that ends them in time.
  private let isBound: Bool

  var configurationFile: String { directory + "/carillon.yaml" }
  /// Arguments that tell the program's commands where everything is.
  var place: [String] { ["--config", configurationFile] + (data.map { ["--data-directory", $0] } ?? []) }
  var logFile: String { directory + "/server.log" }

  /// - Parameters:
  ///   - port: a free one if nil.
  ///   - data: the data directory; one below `directory` if nil.
  ///   - pushURL: where the push receiver listens on loopback.
  ///   - services: sections of the configuration.
  init(
    directory: String, port: Int? = nil, data: String? = nil, pushURL: String, services: String, isBound: Bool = true
  ) throws {
    self.directory = directory
    self.data = data
    self.pushURL = pushURL
    self.services = services
    self.isBound = isBound
    guard let port = port ?? LoopbackPort.free() else { throw DemoFailure("no free port on loopback") }
    address = ServerAddress(host: "127.0.0.1", port: port)
    try configure()
  }

  /// Writes the configuration, which is read when the server starts.
  /// - Parameters:
  ///   - pushTypes: which pushes are sent at all.
  ///   - retrySchedule: seconds between attempts.
  ///   - pushOptions: further lines of section `push`.
  func configure(
    pushTypes: String = "comet,customhttp", retrySchedule: String = "1,1,2,4", pushOptions: [String] = []
  ) throws {
    let pushOptions = pushOptions.map { "  \($0)\n" }.joined()
    try write(
      """
      server:
        host: 127.0.0.1
        port: \(address.port)
        data_directory: \(directory)/data
      push:
        pushEnabled: \(pushTypes)
        customhttp.url: \(pushURL)
        webhooks.allow_private: 127.0.0.1/32
        push.retry_schedule: \(retrySchedule)
      \(pushOptions)\(services)

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

  /// The secret of a token: of a new one, or, if its name is taken, a fresh secret of that one.
  /// - Parameter role: arguments that say what it is for.
  func secret(name: String, _ role: [String]) async throws -> String {
    var printed = try await attempt(["token", "create", "--name", name] + role + place)
    if printed.status != 0 { printed = try await attempt(["token", "rotate", name] + place) }
    guard printed.status == 0,
      let secret = printed.output.split(whereSeparator: \.isWhitespace).last(where: { $0.hasPrefix("car_") })
    else { throw DemoFailure("no token for \(name): \(printed.output)") }
    return String(secret)
  }

  /// A one-time link that signs somebody in; their token is made if there is none.
  func link(name: String, role: String) async throws -> String {
    var printed = try await attempt(["token", "create", "--name", name, "--role", role, "--link"] + place)
    if printed.status != 0 { printed = try await attempt(["token", "link", name] + place) }
    guard printed.status == 0,
      let link = printed.output.split(whereSeparator: \.isWhitespace).last(where: { $0.contains("#code=") })
    else { throw DemoFailure("no link for \(name): \(printed.output)") }
    return String(link)
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
  /// - Parameter arguments: further ones of `carillon serve`.
  /// - Returns: how long that took.
  func start(_ arguments: [String] = []) async throws -> Duration {
    let begin = ContinuousClock.now
    let started = try start(["serve"] + place + arguments, log: logFile)
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

  /// Waits for its end, however long that takes. - Returns: the exit code, or minus the signal.
  func ended() async throws -> Int32 {
    guard let running = process.withLock({ $0 }) else { return 0 }
    return try await running.ended()
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
  func start(_ arguments: [String], log: String) throws -> ChildProcess {
    // One that is not bound hears nothing of Ctrl-C: it is stopped after those who use it.
    try ChildProcess(
      "/proc/self/exe", arguments, name: "carillon", output: .file(log), errors: .file(log), isBound: isBound,
      leadsGroup: !isBound)
  }

  private static func status(of process: ChildProcess) async throws -> Int32 {
    if let status = try await process.wait(atMost: DemoLimits.stopTimeout) { return status }
    throw DemoFailure(
      "process \(process.pid) did not end within \(DemoScreen.seconds(DemoLimits.stopTimeout))")
  }

  /// Another command of this program, to its end.
  func run(_ arguments: [String]) async throws -> String {
    let (status, text) = try await attempt(arguments)
    guard status == 0 else {
      throw DemoFailure("carillon \(arguments[0]) \(arguments[1]) ended with \(status): \(text)")
    }
    return text
  }

  func attempt(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let output = "\(directory)/\(arguments[0])-\(arguments[1]).txt"
    let status = try await Self.status(of: start(arguments, log: output))
    return (status, String(decoding: read(output) ?? [], as: UTF8.self))
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
