import CarillonClient
import Glibc
import ProcessControl
import SystemPackage

/// A server of this build on loopback, with a data directory of its own that goes away with it.
final class BenchServer: Sendable {
  let address: ServerAddress
  let agentToken: String
  private let child: ChildProcess
  private let directory: WorkDirectory

  /// Starts the server and waits until it is ready.
  /// - Parameter directory: made anew if nil; one that holds a journal already is served as it is.
  static func start(in directory: WorkDirectory? = nil) async throws -> BenchServer {
    let directory = try directory ?? WorkDirectory()
    let server = try await BenchServer(in: directory)
    try await server.waitUntilReady()
    return server
  }

  /// - Parameters:
  ///   - options: further lines of the section `server`.
  ///   - sections: further sections, or more of those that each server has.
  ///   - port: the same again for one that comes back to its clients; a free one if nil.
  init(
    in directory: WorkDirectory, options: [String] = [], sections: [String: [String: String]] = [:],
    port wanted: Int? = nil
  ) async throws {
    self.directory = directory
    let executable = try Self.executable()
    let port = try wanted ?? Self.freePort()
    address = ServerAddress(host: "127.0.0.1", port: port)
    try Files.write(
      """
      server:
        host: 127.0.0.1
        port: \(port)
        data_directory: \(directory.path)/data
        log_level: warning
        limits.connections: 19800
      \(options.map { "  " + $0 }.joined(separator: "\n"))
      \(Self.text(of: sections))
      """ + "\n", to: directory.path + "/carillon.yaml")
    agentToken = try await Self.createToken(executable, directory, name: "bench", ["--role", "agent"])
    let command = try Pinning.ofServer([executable, "serve", "--config", directory.path + "/carillon.yaml"])
    child = try ChildProcess(command[0], Array(command.dropFirst()), log: directory.path + "/log", isBound: true)
  }

  private static func text(of sections: [String: [String: String]]) -> String {
    var all = sections
    all["service.request-chat", default: [:]]["_type"] = "builtin"
    return all.map { name, values in
      "\(name):\n" + values.map { "  \($0): \"\($1)\"" }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  var pid: Int32 { child.pid }

  /// Ends the server at once, as a kill would.
  func stop() { child.endAtOnce() }

  /// Runs `work` and ends the server; what goes wrong is told together with the end of its log.
  func measuring<Result>(_ work: () async throws -> Result) async throws -> Result {
    defer { stop() }
    do { return try await work() } catch {
      let log = logTail
      throw log.isEmpty ? error : BenchError("\(error)\nthe server's log ends with:\n\(log)")
    }
  }

  /// Asks the server to end.
  /// - Returns: its exit code; nil if it had to be killed after `limit`.
  func end(within limit: Duration) async throws -> Int32? {
    child.send(signal: SIGTERM)
    return try await child.wait(atMost: limit)
  }

  /// Asks for readiness every few milliseconds.
  func waitUntilReady() async throws {
    let pool = HTTPPool(address)
    defer { pool.shutDown() }
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while ContinuousClock.now < deadline {
      guard child.isRunning else { break }
      if let response = try? await pool.response(to: HTTPRequest(.get, "/health/ready"), timeout: .seconds(1)),
        response.status == 200
      {
        return
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw BenchError("the server did not become ready:\n\(logTail)")
  }

  var logTail: String {
    let log = Files.bytes(directory.path + "/log", maximum: 16_777_216) ?? []
    return String(decoding: log.suffix(Limits.logTailBytes), as: UTF8.self)
  }

  /// Makes a token of this server, which runs already.
  func createToken(name: String, _ arguments: [String]) async throws -> String {
    try await Self.createToken(try Self.executable(), directory, name: name, arguments)
  }

  /// Makes an access token in the token file that the server of `directory` reads.
  /// - Parameter arguments: what `carillon token create` is told besides.
  static func createToken(
    _ executable: String, _ directory: WorkDirectory, name: String, _ arguments: [String]
  ) async throws -> String {
    let output = directory.path + "/token-" + name
    // A directory that is served again has its token already.
    if let token = Files.text(output).flatMap(token(in:)) { return token }
    let status = try await ChildProcess(
      executable,
      ["token", "create", "--config", directory.path + "/carillon.yaml", "--name", name] + arguments, log: output,
      isBound: true
    ).ended()
    let text = Files.text(output) ?? ""
    guard status == 0, let token = Self.token(in: text) else {
      throw BenchError("token create ended with \(status):\n\(text)")
    }
    return token
  }

  /// The token is the one word of the output that begins as tokens do.
  static func token(in text: String) -> String? {
    text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("car_") }.map(String.init)
  }

  /// The server is built beside this program.
  static func executable() throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard length > 0 else { throw BenchError("cannot tell where this program is") }
    let own = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = FilePath(own).removingLastComponent().appending("carillon").string
    guard access(path, X_OK) == 0 else { throw BenchError("no server at \(path): build the product carillon") }
    return path
  }

  static func freePort() throws -> Int {
    guard let port = LoopbackPort.free() else { throw BenchError("no free port on loopback") }
    return port
  }
}
