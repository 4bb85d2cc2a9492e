public import EdgeSecurity
public import Engine
public import Logging
public import ServerKit
public import ServiceLifecycle
import Synchronization

/// The HTTP server: listens, serves, and stops gracefully.
///
/// Comet endpoint and WebSocket are answered on the event loops; everything else is a route. Run it in a
/// `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class HTTPServer: Service, PortServer {
  private let services: EdgeServices
  package let port: ServerPort
  private let shownCertificate = Mutex<ListenerCertificate?>(nil)

  /// - Parameters:
  ///   - engine: may still be recovering: the server then says that it is not ready.
  ///   - metrics: the text of `/metrics`, in the exposition format of Prometheus.
  public init(
    engine: Engine, tokens: TokenStore, configuration: EdgeConfiguration, metrics: @escaping @Sendable () -> String,
    logger: Logger
  ) {
    services = EdgeServices(
      engine: engine, tokens: tokens, configuration: configuration, exposition: metrics, logger: logger)
    port = ServerPort(
      admission: ConnectionAdmission(
        connections: OpenCount(EdgeMetricKeys.keys.connections), limit: configuration.limits.connectionsMaximum,
        budgets: configuration.budgets, isShared: { [proxies = configuration.proxies] in proxies.trusts($0) }))
  }

  /// What new connections are shown; nil without TLS, and before the server listens.
  public var certificate: ListenerCertificate? { shownCertificate.withLock { $0 } }

  /// Requests of the Comet endpoint that wait for their answer.
  public var heldPollCount: Int { services.heldPolls.current }

  /// Reads the keys of users' tokens again. What cannot be used leaves all as it was, and is logged.
  public func reloadIdentity() async { await services.identity.reload() }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, closes the
  /// idle ones, lets the engine answer what is held, and grants the rest `EdgeLimits.shutdownGrace`.
  /// - Throws: if it cannot listen, or cannot read the certificate or the keys that prove users.
  public func run() async throws {
    let open = try await port.open(listener)
    services.logger.info("listening", metadata: ["port": "\(open.number)"])
    let keepingKeys = Task { [identity = services.identity] in await identity.keepKeys() }
    try? await gracefulShutdown()
    keepingKeys.cancel()
    await open.close(grace: services.limits.shutdownGrace, after: services.engine.drain)
    await keepingKeys.value
  }

  private func listener() async throws -> Listener {
    let configuration = services.configuration
    try await services.identity.start()
    let certificate = try configuration.tls.map { try ListenerCertificate($0, protocols: ["http/1.1"]) }
    shownCertificate.withLock { $0 = certificate }
    return Listener(
      host: host, port: configuration.port, group: configuration.eventLoopGroup, certificate: certificate,
      pipeline: HTTPPipeline(services: services))
  }

  /// Agents' tokens are the only secrets that there are; without one, nobody from outside is let in.
  private var host: String {
    let host = services.configuration.host
    return services.tokens.isEmpty && !LoopbackHost.contains(host) ? LoopbackHost.address : host
  }
}
