import Foundation
import ProcessControl

/// The server's program, as somebody starts it who has configured nothing.
struct Carillon: Sendable {
  private static let commandLimit = Duration.seconds(60)

  let path: String
  /// Takes what its commands write, and their temporary files.
  let directory: String

  private var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARILLON_") }
      .merging(["TMPDIR": directory]) { _, new in new }
  }

  /// Starts it beside this process, with which it ends.
  func start(_ arguments: [String], log: String) throws -> ChildProcess {
    try ChildProcess(path, arguments, environment: environment, log: log, isBound: true)
  }

  /// Runs a command to its end.
  /// - Throws: if it does not come.
  func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let log = directory + "/command-\(UUID().uuidString).txt"
    defer { try? FileManager.default.removeItem(atPath: log) }
    let status = try await start(arguments, log: log).wait(atMost: Self.commandLimit)
    let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    guard let status else {
      throw ScriptViolation("carillon \(arguments.joined(separator: " ")) does not end:\n\(output.suffix(2_000))")
    }
    return (status, output)
  }

  /// Runs a command that has to succeed.
  @discardableResult
  func succeed(_ arguments: [String]) async throws -> String {
    let (status, output) = try await run(arguments)
    guard status == 0 else {
      throw ScriptViolation(
        "carillon \(arguments.joined(separator: " ")) ended with \(status):\n\(output.suffix(2_000))")
    }
    return output
  }
}

/// Waits until `body` says something, and asks it again and again.
/// - Throws: after `limit`: what was waited for, and what `state` says then.
func patiently<Answer>(
  _ what: String, within limit: Duration = .seconds(30), every interval: Duration = .milliseconds(20),
  isolation: isolated (any Actor)? = #isolation, state: () async -> String = { "" },
  _ body: () async throws -> Answer?
) async throws -> Answer {
  let deadline = ContinuousClock.now + limit
  while true {
    if let answer = try await body() { return answer }
    guard ContinuousClock.now < deadline else {
      throw ScriptViolation("in vain for \(limit): \(what)\n\(await state())")
    }
    try await Task.sleep(for: interval)
  }
}
