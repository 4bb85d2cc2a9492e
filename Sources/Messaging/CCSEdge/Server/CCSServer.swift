public import EdgeSecurity
import EngineKit
public import Logging
public import MessagingEngine
public import NIOCore
import ServerKit
public import ServiceLifecycle

/// The XMPP connection server: app servers send through it, and get what devices send them. Spec: GCM C.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class CCSServer: Service {
  private let services: CCSServices
  private let port: ServerPort

  /// - Parameters:
  ///   - messaging: may still be recovering: what comes is then to be tried again.
  ///   - authenticate: whether `password` is an API key of `sender`.
  /// - Throws: if the certificate cannot be read.
  public convenience init(
    messaging: MessagingService, configuration: CCSConfiguration, logger: Logger,
    authenticate: @escaping @Sendable (_ sender: String, _ password: String) async -> Bool
  ) throws {
    try self.init(
      backend: CCSBackend(messaging: messaging, budgets: configuration.budgets, authenticate: authenticate),
      configuration: configuration, logger: logger)
  }

  init(backend: CCSBackend, configuration: CCSConfiguration, logger: Logger) throws {
    services = try CCSServices(backend: backend, configuration: configuration, logger: logger)
    port = ServerPort(
      admission: ConnectionAdmission(
        connections: OpenCount(label: "carillon_ccs_connections"), limit: configuration.limits.connectionsMaximum,
        budgets: configuration.budgets))
  }

  /// Where the server listens; waits until it does. - Throws: what kept it from listening.
  public var boundAddress: SocketAddress {
    get async throws { try await port.boundAddress }
  }

  /// The port of `boundAddress`.
  public var boundPort: Int {
    get async throws { try await port.boundPort }
  }

  /// Connections that are open.
  public var connectionCount: Int { port.connectionCount }

  /// What new connections are shown; nil without TLS.
  public var certificate: ListenerCertificate? { services.certificate }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, tells the
  /// clients that theirs are draining, and grants them `CCSLimits.shutdownGrace`. Spec: GCM C13.
  /// - Throws: if it cannot listen.
  public func run() async throws {
    let configuration = services.configuration
    let open = try await port.open {
      Listener(
        host: configuration.host, port: configuration.port, group: configuration.eventLoopGroup,
        certificate: services.certificate, pipeline: CCSPipeline(services: services))
    }
    services.logger.info("listening for app servers", metadata: ["port": "\(open.number)"])
    try? await gracefulShutdown()
    await open.close(grace: services.limits.shutdownGrace)
  }
}
