import CarillonClient
import JSONEnvelope
import StandbyFollower
import Synchronization

extension DemoServer {
  /// `carillon token create --role standby`.
  /// - Parameter file: gets the secret.
  func makeStandbyToken(name: String, file: String) async throws {
    _ = try await run(["token", "create", name, "--role", "standby", "--out", file, "--config", configurationFile])
  }

  /// `carillon standby`: its directory follows `primary` from now on, until it is stopped as a server is.
  func follow(_ primary: DemoServer, name: String, tokenFile: String) throws {
    let arguments = [
      "standby", "--from", "\(primary.address)", "--name", name, "--token-file", tokenFile, "--config",
      configurationFile,
    ]
    let started = try start(arguments, log: logFile)
    process.withLock { $0 = started }
  }

  /// `carillon promote`.
  func promote() async throws -> String { try await run(["promote", "--config", configurationFile]) }

  /// `carillon journal rejoin`.
  func rejoin(_ primary: DemoServer, tokenFile: String) async throws -> String {
    try await run([
      "journal", "rejoin", "--from", "\(primary.address)", "--token-file", tokenFile, "--config", configurationFile,
    ])
  }

  /// Tries to serve, which has to be refused.
  /// - Returns: the exit code, and what it says last.
  func refusesToServe() async throws -> (status: Int32, line: String) {
    let (status, output) = try await attempt(["serve", "--config", configurationFile])
    return (status, output.split(separator: "\n").last.map(String.init) ?? "")
  }

  /// Waits, after the server that this one follows has ended, until it has read all that came from there.
  func hasReadAll() async throws {
    let deadline = ContinuousClock.now + DemoLimits.readyTimeout
    while ContinuousClock.now < deadline {
      let output = try await attempt(["standby", "--status", "\(directory)/data"]).output
      // What was said before stands before it.
      let state = output.split(separator: "\n").last { $0.hasPrefix("state ") }
      if state?.hasSuffix(FollowerStatus.State.waiting.rawValue) == true { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw DemoFailure("the standby does not say that its server is gone")
  }

  /// Waits until all that this server has on its disk is on its standby's: what was answered before this call, in any
  /// case.
  /// - Parameter token: an operator's.
  /// - Returns: the last record that the standby has.
  func caughtUp(standby name: String, token: String) async throws -> Int {
    let pool = HTTPPool(address)
    defer { pool.shutDown() }
    let request = HTTPRequest(
      .get, "/admin/1/standbys", headers: [(name: "Authorization", value: "Bearer \(token)")])
    let deadline = ContinuousClock.now + DemoLimits.readyTimeout
    var answer = ""
    while ContinuousClock.now < deadline {
      let response = try await pool.response(to: request)
      answer = String(decoding: response.bodyBytes, as: UTF8.self)
      guard response.status == 200 else {
        throw DemoFailure("/admin/1/standbys was answered with \(response.status): \(answer)")
      }
      let standby = try JSONValue(parsing: response.bodyBytes).array?.first { $0["name"]?.string == name }
      if let standby, standby["connected"]?.bool == true, standby["recordsBehind"]?.integer == 0,
        let position = standby["acknowledged"]?.integer
      {
        return position
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw DemoFailure("the standby has not all within \(DemoScreen.seconds(DemoLimits.readyTimeout)): \(answer)")
  }
}
