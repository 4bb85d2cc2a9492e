package import EdgeSecurity
package import HTTPKit
package import Logging
package import ServerKit

/// The server of a witness: listens, serves, and stops gracefully.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once. It has no tokens: whoever asks shows
/// that by the log's signature, so it may listen to everybody.
package final class WitnessServer: PortServer {
  private let desk: WitnessDesk
  private let site: WitnessSite
  private let settings: HTTPSettings
  package let port: ServerPort
  /// What new connections are shown; nil without TLS.
  package let certificate: ListenerCertificate?
  private let logger: Logger

  /// - Throws: if the certificate cannot be read.
  package init(desk: WitnessDesk, settings: HTTPSettings, logger: Logger) throws {
    self.desk = desk
    self.settings = settings
    self.logger = logger
    site = try WitnessSite(desk: desk, settings: settings, logger: logger)
    certificate = try settings.tls.map { try ListenerCertificate($0, protocols: ["http/1.1"]) }
    port = ServerPort(
      admission: ConnectionAdmission(
        connections: site.services.metrics.connections, limit: settings.limits.connectionsMaximum,
        budgets: settings.budgets, isShared: { _ in false }))
  }

  /// Serves until the graceful shutdown (or the task's cancellation): takes no more connections then, and answers what
  /// was asked.
  /// - Throws: if it cannot listen.
  package func run() async throws {
    try await port.serve("listening for logs", logger, grace: settings.limits.shutdownGrace) {
      Listener(
        host: settings.host, port: settings.port, group: settings.eventLoopGroup, certificate: certificate,
        pipeline: HTTPPipeline(site: site))
    }
    await desk.stop()
  }
}
