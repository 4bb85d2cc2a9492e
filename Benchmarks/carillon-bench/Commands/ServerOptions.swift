import ArgumentParser
import BenchReport
import CarillonClient

/// Which server is measured.
struct ServerOptions: ParsableArguments {
  @Option(help: "Measure a server that runs already, such as http://127.0.0.1:8080; without it, one is started.")
  var url: String?

  @Option(help: "An agent token of that server.")
  var token: String?

  @Option(help: "The process id of that server, for its CPU time.")
  var pid: Int32?

  func validate() throws {
    if url != nil, token == nil { throw ValidationError("--url needs --token") }
  }
}

/// The server that a measurement talks to: our own, or somebody else's.
struct MeasuredServer: Sendable {
  let address: ServerAddress
  let agentToken: String
  let own: BenchServer?
  let pid: Int32?

  init(_ options: ServerOptions? = nil) async throws {
    if let options, let url = options.url, let token = options.token {
      address = try ServerAddress(url)
      agentToken = token
      own = nil
      pid = options.pid
      if let pid, let plan = Pinning.plan { try Pinning.pin(pid, to: plan.server) }
    } else {
      let server = try await BenchServer.start()
      own = server
      address = server.address
      agentToken = server.agentToken
      pid = server.pid
    }
  }

  /// Nil if the server's process is not known.
  func sample() throws -> ProcessSample? { try pid.map { try ProcessSample(of: $0) } }

  func stop() { own?.stop() }

  /// Runs `work`; what goes wrong is told together with the end of the server's log.
  func measuring<Result>(_ work: () async throws -> Result) async throws -> Result {
    guard let own else { return try await work() }
    return try await own.measuring(work)
  }
}
