import CarillonClient
import ProcessControl
import Synchronization

/// One server through its lives: the same data, the same port.
final class SoakServer: Sendable {
  enum End: Sendable { case graceful, kill }

  private struct State {
    var server: BenchServer
    var life = 1
    var isServing = true
  }

  let directory: WorkDirectory
  let address: ServerAddress
  let agentToken: String
  let adminToken: String
  private let plan: SoakPlan
  private let state: Mutex<State>

  private static let stopTimeout = Duration.seconds(60)
  private static let look = Duration.milliseconds(20)

  static func start(_ plan: SoakPlan) async throws -> SoakServer {
    let directory = try WorkDirectory()
    let server = try await launch(in: directory, plan, port: nil)
    let adminToken = try await BenchServer.createToken(
      try BenchServer.executable(), directory, name: "ops", ["--role", "admin"])
    try await server.waitUntilReady()
    return SoakServer(directory, server, adminToken, plan)
  }

  private init(_ directory: WorkDirectory, _ server: BenchServer, _ adminToken: String, _ plan: SoakPlan) {
    self.directory = directory
    (address, agentToken) = (server.address, server.agentToken)
    self.adminToken = adminToken
    self.plan = plan
    state = Mutex(State(server: server))
  }

  /// Small files and short times: everything that a server does in a week is to happen in the first minute.
  private static func launch(in directory: WorkDirectory, _ plan: SoakPlan, port: Int?) async throws -> BenchServer {
    try await BenchServer(
      in: directory,
      options: [
        "journal.segment_size: 4MiB", "journal.snapshot_interval: 0",
        "journal.retention_age: \(Int(plan.beat / .seconds(1)) * 2)",
        "journal.archive_interval: \(Int(plan.beat / .seconds(1)))", "sleep_after: \(plan.timeToLive / 2)",
        "cometd.timeout: 10000", "cometd.maxInterval: 20000", "limits.sessions_by_user: 1000",
      ],
      sections: [
        "service.request-chat": ["_client_timeout_notification": "0", "_ttl": "\(plan.timeToLive)"],
        "push": [
          "pushEnabled": "comet,httpcb", "httpcb.allow_private_addresses": "true",
          "webhooks.secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
        ],
      ], port: port)
  }

  /// From 1; counted before the next one can answer anybody.
  var life: Int { state.withLock { $0.life } }
  var isServing: Bool { state.withLock { $0.isServing } }
  var pid: Int32 { state.withLock { $0.server.pid } }
  var logTail: String { state.withLock { $0.server }.logTail }

  /// - Throws: `BenchError` if it does not come back.
  func untilServing() async throws {
    let deadline = ContinuousClock.now + Limits.readyTimeout + Self.stopTimeout
    while !isServing {
      guard ContinuousClock.now < deadline else { throw BenchError("the server did not come back") }
      try await Task.sleep(for: Self.look)
    }
  }

  /// - Throws: `BenchError` if it did not end as it should, or does not come back.
  func restart(_ end: End) async throws {
    try await stop(end)
    let next = try await Self.launch(in: directory, plan, port: address.port)
    state.withLock { state in
      state.life += 1
      state.server = next
    }
    try await next.waitUntilReady()
    state.withLock { $0.isServing = true }
  }

  func stop(_ end: End) async throws {
    let server = state.withLock { state in
      state.isServing = false
      return state.server
    }
    switch end {
    case .kill: server.stop()
    case .graceful:
      let status = try await server.end(within: Self.stopTimeout)
      guard status == 0 else {
        throw BenchError("a server that was asked to end \(status.map { "ended with \($0)" } ?? "did not")")
      }
    }
  }

  /// Whatever state it is in.
  func kill() { state.withLock { $0.server }.stop() }

  /// Runs `carillon` to its end.
  func command(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let log = directory.path + "/command-\(arguments.joined(separator: "-").filter { $0 != "/" })"
    let status = try await ChildProcess(try BenchServer.executable(), arguments, log: log, isBound: true).ended()
    return (status, Files.text(log) ?? "")
  }
}
