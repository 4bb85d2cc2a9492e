import EdgeSecurity
package import EngineKit
import EventSourcing
package import HTTPKit
import Hummingbird
package import Logging
import NIOCore
import NIOHTTP1
package import ServerKit

/// The port that `/metrics` has of its own: listens, serves, and stops gracefully. It also serves while the journal is
/// still being read.
package final class MetricsServer: PortServer {
  /// Scrapers, and people who look: nobody else is meant to come.
  static let connectionsMaximum = 64

  private let site: MetricsSite
  private let settings: HTTPSettings
  package let port: ServerPort
  private let logger: Logger

  /// - Parameters:
  ///   - settings: where it listens.
  ///   - server: whose figures count what is answered here, too.
  package init(
    settings: HTTPSettings, beside server: HTTPServer, tokens: TokenStore, source: @escaping MetricsExposition.Source,
    security: SecurityLog, logger: Logger
  ) {
    self.settings = settings
    self.logger = logger
    site = MetricsSite(settings, server.metrics, tokens, source: source, security: security, logger: logger)
    port = ServerPort(
      // Of its own: customers who fill the other port must not hide that they do.
      admission: ConnectionAdmission(
        connections: OpenCount(), limit: Self.connectionsMaximum, budgets: settings.budgets, isShared: { _ in true }))
  }

  /// Serves until the graceful shutdown, or the task's cancellation.
  /// - Throws: if it cannot listen.
  package func run() async throws {
    try await port.serve("listening for scrapers", logger, grace: settings.limits.shutdownGrace) {
      Listener(
        host: settings.host, port: settings.port, group: settings.eventLoopGroup, certificate: nil,
        pipeline: HTTPPipeline(site: site))
    }
  }
}

/// What is answered there: one target.
final class MetricsSite: HTTPSite {
  static let target = "/metrics"
  /// Nobody who scrapes sends one.
  private static let bodyBytesMaximum = 1_024

  let services: HTTPServices

  init(
    _ settings: HTTPSettings, _ metrics: HTTPMetrics, _ tokens: TokenStore, source: @escaping MetricsExposition.Source,
    security: SecurityLog, logger: Logger
  ) {
    let router = Router(context: EdgeRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: FailureMiddleware())
    router.resource(
      RouterPath(Self.target), [.get: { request, _ in source(request.headers[values: .accept]).response }])
    services = HTTPServices(
      settings, otherSurface: Surface.other.place, webSocketSurface: Surface.other.place,
      identity: UserIdentity(
        .open, proxies: .none, limits: settings.limits, now: { Timestamp(milliseconds: 0) }, security: security,
        logger: logger
      ) { _ in false },
      tokens: tokens, responder: router.buildResponder(), metrics: metrics, security: security,
      guesses: GuessGuard(security, settings.budgets), logger: logger)
  }

  func surface(of target: String) -> (HTTPSurface, bodyBytesMaximum: Int) {
    (Surface(target: target).place, Self.bodyBytesMaximum)
  }

  /// As long as anything is.
  func goesOnDuringStop(_ target: String) -> Bool { true }

  func mayCompress(_ target: String) -> Bool { target == Self.target }

  func refusal(of head: HTTPRequestHead, on connection: HTTPConnectionHandler) -> EdgeFailure? {
    head.uri.prefix { $0 != "?" } == Self.target ? nil : .notFound
  }

  func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler) { connection.route(request) }

  func body(of failure: EdgeFailure, on connection: HTTPConnectionHandler) -> (StaticString, [UInt8]) {
    ("text/plain; charset=utf-8", Array("\(failure.message)\n".utf8))
  }

  func response(to failure: EdgeFailure, on surface: HTTPSurface) -> Response { Response(status: failure.status) }
}
