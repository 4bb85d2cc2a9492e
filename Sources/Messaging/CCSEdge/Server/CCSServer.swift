public import EdgeSecurity
import EngineKit
public import Logging
public import MessagingEngine
public import ServerKit
public import ServiceLifecycle

/// The XMPP connection server: app servers send through it, and get what devices send them. Spec: GCM C.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class CCSServer: Service, PortServer {
  private let services: CCSServices
  package let port: ServerPort

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
        connections: OpenCount(CCSMetricKeys.keys.connections), limit: configuration.limits.connectionsMaximum,
        budgets: configuration.budgets))
  }

  /// What new connections are shown; nil without TLS.
  public var certificate: ListenerCertificate? { services.certificate }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, tells the
  /// clients that theirs are draining, and grants them `CCSLimits.shutdownGrace`. Spec: GCM C13.
  /// - Throws: if it cannot listen.
  public func run() async throws {
    let configuration = services.configuration
    try await port.serve("listening for app servers", services.logger, grace: services.limits.shutdownGrace) {
      Listener(
        host: configuration.host, port: configuration.port, group: configuration.eventLoopGroup,
        certificate: services.certificate, pipeline: CCSPipeline(services: services))
    }
  }
}
