public import EdgeSecurity
import EngineKit
public import Logging
public import MessagingEngine
public import ServerKit
public import ServiceLifecycle

/// The server of devices' connections: listens, serves, and stops gracefully. Spec: GCM D6.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class MCSServer: Service, PortServer {
  private let configuration: MCSConfiguration
  private let pipeline: MCSPipeline
  package let port: ServerPort
  /// What new connections are shown; nil without TLS.
  public let certificate: ListenerCertificate?
  private let logger: Logger

  /// - Parameter messaging: may still be recovering: devices are then told to come back.
  /// - Throws: if the certificate cannot be read.
  public init(messaging: MessagingService, configuration: MCSConfiguration, logger: Logger) throws {
    self.configuration = configuration
    pipeline = MCSPipeline(messaging: messaging, configuration: configuration)
    port = ServerPort(admission: configuration.admission)
    certificate = try configuration.tls.map { try ListenerCertificate($0) }
    self.logger = logger
  }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, tells the
  /// devices to come back, and grants them `DeviceEdgeLimits.shutdownGrace` to hear it.
  /// - Throws: if it cannot listen.
  public func run() async throws {
    try await port.serve("listening for devices", logger, grace: configuration.limits.shutdownGrace) {
      Listener(
        host: configuration.host, port: configuration.port, group: configuration.eventLoopGroup,
        certificate: certificate, pipeline: pipeline)
    }
  }
}

extension MCSConfiguration {
  /// Devices are counted by address apart from the other ports' connections: many of them come from one network.
  var admission: ConnectionAdmission {
    var settings = BudgetSettings()
    (settings.addressPerMinute, settings.userPerMinute) = ([:], [:])
    settings.connectionsByAddressMaximum = limits.connectionsPerAddressMaximum
    return ConnectionAdmission(
      connections: OpenCount(DeviceMetricKeys.keys.connections, dimensions: [("transport", "mcs")]),
      limit: limits.connectionsMaximum, budgets: StrangerBudgets(settings))
  }
}
