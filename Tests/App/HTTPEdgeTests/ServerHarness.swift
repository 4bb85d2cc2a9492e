import Engine
import Journal
import Logging
import ServerKit
import ServiceLifecycle
import SupportAPI
import SystemPackage

@testable import HTTPEdge

/// A whole server on loopback, port 0, with an engine and a journal of its own.
struct ServerHarness {
  let server: HTTPServer
  let engine: Engine
  let tokens: TokenStore
  let services: ServiceGroup
  let port: Int

  /// On a machine with much to do, a test may need long between connecting and its first request.
  static let patientLimits: EdgeLimits = {
    var limits = EdgeLimits()
    (limits.headTimeout, limits.bodyTimeout, limits.keepAliveTimeout) = (.seconds(300), .seconds(300), .seconds(300))
    return limits
  }()

  static func run(
    limits: EdgeLimits = patientLimits, options: [String: [String: String]] = [:], origins: OriginPolicy = .none,
    messaging: MessagingEdgeSettings = MessagingEdgeSettings(), recovers: Bool = true,
    storage: any JournalStorage = DiskStorage(),
    providers: @escaping ProviderLookUp = { _ in nil },
    verifyIdentity: @escaping SupportIdentityVerifier = EdgeConfiguration.verifiesNobody,
    configureEngine: (inout EngineConfiguration) -> Void = { _ in },
    configure: (inout EdgeConfiguration) -> Void = { _ in },
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (ServerHarness) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    var configuration = EngineConfiguration(dataDirectory: FilePath(directory.path))
    configuration.journal.segmentByteCount = 1_048_576
    configuration.options = Options(
      sections: ["service.request-chat": ["_type": "builtin"]].merging(options) { $1 })
    configureEngine(&configuration)
    var edge = EdgeConfiguration(
      HTTPSettings(port: 0, limits: limits, allowedOrigins: origins), messaging: messaging,
      verifyIdentity: verifyIdentity)
    configure(&edge)
    configuration.requiresProof = edge.identity.provesUsers
    var environment = EngineEnvironment()
    environment.storage = storage
    let engine = Engine(
      configuration: configuration, environment: environment, providers: providers, logger: logger, onFatal: { _ in })
    let running = Task { await engine.run() }
    if recovers { _ = try await engine.recover() }
    let tokens = try TokenStore(directory: directory.path)
    let server = HTTPServer(
      engine: engine, tokens: tokens, configuration: edge,
      metrics: { MetricsExposition(contentType: "text/plain; accept=\($0.count)", text: "up 1\n") },
      logger: logger)
    let services = ServiceGroup(services: [server], logger: logger)
    let serving = Task { try await services.run() }
    let outcome: Result<Void, any Error>
    do {
      let harness = ServerHarness(
        server: server, engine: engine, tokens: tokens, services: services, port: try await server.boundPort)
      outcome = .success(try await body(harness))
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    _ = await serving.result
    await engine.stop(grace: .zero)
    await server.close()
    await running.value
    try outcome.get()
  }

  /// Waits until so many polls are held.
  func holdsPolls(_ count: Int) async throws { try await until { server.heldPollCount == count } }

  func connect() async throws -> RawClient { try await RawClient.connect(port) }

  /// Makes a Comet session: shaken, subscribed and connected once, so that the next connect is held.
  func cometSession(_ client: RawClient, userKey: String = "user") async throws -> String {
    let headers = "gms_user: \(userKey)\r\n"
    try await client.post(
      "/genesys/cometd/handshake",
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}]"#,
      headers: headers)
    let reply = try await client.response().body
    let clientID = try Self.clientID(in: reply)
    try await client.post(
      "/genesys/cometd",
      #"[{"channel":"/meta/subscribe","clientId":"\#(clientID)","subscription":"/_genesys","id":"2"}]"#,
      headers: headers)
    _ = try await client.response()
    try await client.post("/genesys/cometd/connect", connect(clientID), headers: headers)
    _ = try await client.response()
    return clientID
  }

  func connect(_ clientID: String) -> String {
    #"[{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"long-polling","id":"3"}]"#
  }

  static func clientID(in reply: String) throws -> String {
    guard let start = reply.firstRange(of: #""clientId":""#) else { throw RawClient.ClosedEarly() }
    return String(reply[start.upperBound...].prefix { $0 != "\"" })
  }
}

/// Waits until it is so; the suite's time limit ends what never comes.
func until(_ isTrue: () async throws -> Bool) async throws {
  while try await !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
}
