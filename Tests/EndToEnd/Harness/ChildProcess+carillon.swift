import Foundation
import ProcessControl

extension ChildProcess {
  /// Starts a program as somebody would who has configured nothing.
  /// - Parameters:
  ///   - environment: added to the test's own, from which everything that would configure Carillon is taken out.
  ///   - log: the file that what it writes is appended to.
  static func start(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:], log: String
  ) throws -> ChildProcess {
    try ChildProcess(executable, arguments, environment: Self.environment(environment), log: log)
  }

  /// The test's own environment without everything that would configure Carillon, and these.
  static func environment(_ additions: [String: String]) -> [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("CARILLON_") }.merging(additions) { _, new in new }
  }

  /// Waits for the end.
  /// - Throws: `EndToEndFailure` if it does not come in time; then the process is killed.
  @discardableResult
  func status(within timeout: Duration = .seconds(20)) async throws -> Int32 {
    if let status = try await wait(atMost: timeout) { return status }
    throw EndToEndFailure("process \(pid) did not end within \(timeout)")
  }
}

/// Why a test cannot go on.
struct EndToEndFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
