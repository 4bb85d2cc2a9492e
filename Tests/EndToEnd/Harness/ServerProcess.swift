import Foundation
import ProcessControl
import Synchronization
import Testing

/// Options as they stand in the configuration file, by section.
typealias ServerOptions = [String: [String: String]]

/// The real server: a process of its own on loopback, started, killed and started again on one temporary directory.
final class ServerProcess: Sendable {
  /// What a port's first start announced; later starts take the same.
  private struct State {
    var process: ChildProcess?
    var port = 0
    var tokens: [String: String] = [:]
  }

  let directory: String
  private let state = Mutex(State())

  /// Where `swift build` has put the server: beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("carillon").path

  /// Starts a server, hands it to `body` and ends it, whatever happens there.
  ///
  /// - Parameters:
  ///   - options: over those that the tests share.
  ///   - agents: the names of the tokens made before the start.
  static func run(
    _ options: ServerOptions = [:], agents: [String] = ["k"], starts: Bool = true,
    _ body: (ServerProcess) async throws -> Void
  ) async throws {
    let server = try ServerProcess(options)
    do {
      for agent in agents { try await server.makeToken(agent) }
      if starts { try await server.start() }
      try await body(server)
    } catch {
      await server.end()
      Issue.record("the server's log ends with:\n\(server.log.suffix(3_000))")
      // `CARILLON_KEEP=1`: what a failure leaves behind is there to be looked at.
      if ProcessInfo.processInfo.environment["CARILLON_KEEP"] == nil {
        try? FileManager.default.removeItem(atPath: server.directory)
      } else {
        print("kept: \(server.directory)")
      }
      throw error
    }
    await server.end()
    try FileManager.default.removeItem(atPath: server.directory)
  }

  private init(_ options: ServerOptions) throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try configure(options)
  }

  // MARK: What tests ask

  var port: Int { state.withLock { $0.port } }
  var dataDirectory: String { directory + "/data" }
  var configurationFile: String { directory + "/carillon.yaml" }
  private var logFile: String { directory + "/server.log" }
  var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }
  var process: ChildProcess? { state.withLock { $0.process } }
  var isRunning: Bool { process?.isRunning ?? false }

  func token(_ agent: String = "k") -> String { state.withLock { $0.tokens[agent] ?? "" } }

  /// Writes the configuration anew; a running server takes it over on SIGHUP.
  func configure(_ options: ServerOptions) throws {
    var all: ServerOptions = [
      "server": ["host": "127.0.0.1", "data_directory": dataDirectory, "journal.segment_size": "4MiB"],
      "service.request-chat": [:],
    ]
    for (section, values) in options { all[section, default: [:]].merge(values) { _, new in new } }
    var text = ""
    for (section, values) in all.sorted(by: { $0.key < $1.key }) {
      text += "\(section):\n"
      for (name, value) in values.sorted(by: { $0.key < $1.key }) { text += "  \(name): \"\(value)\"\n" }
    }
    try text.write(toFile: configurationFile, atomically: true, encoding: .utf8)
  }

  // MARK: Life

  /// Starts the server and waits until it is ready: on a free port the first time, on the same one later.
  func start(environment: [String: String] = [:]) async throws {
    let from = try launch(environment: environment)
    let line = try await logLine(after: from, of: process) { $0["message"]?.contains("is ready on") == true }
    guard let address = line["address"], let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw EndToEndFailure("the ready line names no address: \(line)")
    }
    state.withLock { $0.port = port }
  }

  /// Starts the server and waits for nothing.
  /// - Returns: where its part of the log begins.
  @discardableResult
  func launch(environment: [String: String] = [:]) throws -> Int {
    let from = FileManager.default.contents(atPath: logFile)?.count ?? 0
    let started = try ChildProcess.start(
      Self.executable, ["serve", "--config", configurationFile, "--port", String(port)], environment: environment,
      log: logFile)
    state.withLock { $0.process = started }
    return from
  }

  /// The first record after byte `offset` of the log that `isWanted`.
  func logLine(
    after offset: Int = 0, of running: ChildProcess? = nil, within timeout: Duration = .seconds(20),
    where isWanted: ([String: String]) -> Bool
  ) async throws -> [String: String] {
    let deadline = ContinuousClock.now + timeout
    while true {
      let ended = running?.poll()
      let text = FileManager.default.contents(atPath: logFile)?.dropFirst(offset) ?? Data()
      for line in text.split(separator: UInt8(ascii: "\n")) {
        if let record = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] {
          let texts = record.compactMapValues { $0 as? String }
          if isWanted(texts) { return texts }
        }
      }
      if let ended { throw EndToEndFailure("the server ended with \(ended) instead") }
      guard ContinuousClock.now < deadline else { throw EndToEndFailure("the log has no such line") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// SIGKILL: no goodbye, no last write.
  func killNow() async throws {
    guard let process else { return }
    process.send(signal: SIGKILL)
    let status = try await process.status()
    guard status == -SIGKILL else { throw EndToEndFailure("the server ended with \(status) before it was killed") }
  }

  /// SIGTERM; the exit code.
  func stop() async throws -> Int32 {
    guard let process else { throw EndToEndFailure("the server does not run") }
    process.send(signal: SIGTERM)
    return try await process.status()
  }

  /// Whatever state it is in.
  func end() async { await process?.end() }

  // MARK: Other commands of the program

  @discardableResult
  func makeToken(_ agent: String, _ role: [String] = ["--role", "agent"]) async throws -> String {
    let result = try await command(
      ["token", "create", "--name", agent, "--data-directory", dataDirectory] + role)
    guard result.status == 0,
      let token = result.output.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("car_") })
    else { throw EndToEndFailure("token create ended with \(result.status): \(result.output)") }
    state.withLock { $0.tokens[agent] = String(token) }
    return String(token)
  }

  /// Runs `carillon` with these arguments to its end.
  func command(
    _ arguments: [String], environment: [String: String] = [:], within timeout: Duration = .seconds(20)
  ) async throws -> (status: Int32, output: String) {
    let file = directory + "/command-\(UUID().uuidString).txt"
    let child = try ChildProcess.start(Self.executable, arguments, environment: environment, log: file)
    do {
      let status = try await child.status(within: timeout)
      return (status, try String(contentsOfFile: file, encoding: .utf8))
    } catch {
      await child.end()
      throw error
    }
  }
}
