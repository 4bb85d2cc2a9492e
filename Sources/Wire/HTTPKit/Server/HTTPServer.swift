package import EdgeSecurity
import Logging
package import ServerKit
import ServiceLifecycle
import Synchronization

/// The HTTP server: listens, serves, and stops gracefully.
///
/// Polls and WebSockets are answered on the event loops; everything else is a route. Run it in a `ServiceGroup`, or in a
/// task that is cancelled to end it at once.
package final class HTTPServer: PortServer {
  private let site: any HTTPSite
  private let drain: @Sendable () async -> Void
  private let isNeededToTheEnd: @Sendable () -> Bool
  package let port: ServerPort
  private let shownCertificate = Mutex<ListenerCertificate?>(nil)
  private let rest = Mutex(Rest.none)

  /// What `run` leaves for `close`.
  private enum Rest {
    case none
    case port(OpenPort)
    case closed
  }

  /// What those get to come to their end that are left for `close`: they have nothing to wait for.
  private static let lastGrace = Duration.seconds(1)

  /// - Parameters:
  ///   - isNeededToTheEnd: asked when the stop begins: whether the port stays open, until `close`, for requests that go on
  ///     during a stop.
  ///   - drain: has whatever is held answered, once the server stops.
  package init(
    _ site: any HTTPSite, isNeededToTheEnd: @escaping @Sendable () -> Bool = { false },
    drain: @escaping @Sendable () async -> Void
  ) {
    self.site = site
    self.isNeededToTheEnd = isNeededToTheEnd
    self.drain = drain
    let settings = site.services.settings
    port = ServerPort(
      admission: ConnectionAdmission(
        connections: site.services.metrics.connections, limit: settings.limits.connectionsMaximum,
        budgets: settings.budgets, isShared: { [proxies = settings.proxies] in proxies.trusts($0) }))
  }

  /// What new connections are shown; nil without TLS, and before the server listens.
  package var certificate: ListenerCertificate? { shownCertificate.withLock { $0 } }

  /// What it counts.
  package var metrics: HTTPMetrics { site.services.metrics }

  /// Polls that wait for their answer.
  package var heldPollCount: Int { site.services.heldPolls.current }

  /// Reads the keys of users' tokens again. What cannot be used leaves all as it was, and is logged.
  package func reloadIdentity() async { await site.services.identity.reload() }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, closes the
  /// idle ones, has answered what is held, and grants the rest `EdgeLimits.shutdownGrace`. If it is needed to the end, it
  /// leaves the port open for that, and `close` closes it.
  /// - Throws: if it cannot listen, or cannot read the certificate or the keys that prove users.
  package func run() async throws {
    let services = site.services
    let open = try await port.open(listener)
    services.logger.info("listening", metadata: ["port": "\(open.number)"])
    let keepingKeys = Task { [identity = services.identity] in await identity.keepKeys() }
    try? await gracefulShutdown()
    keepingKeys.cancel()
    if !Task.isCancelled, isNeededToTheEnd() {
      await open.stop(grace: services.limits.shutdownGrace, after: drain)
      await leave(open)
    } else {
      await open.close(grace: services.limits.shutdownGrace, after: drain)
    }
    await keepingKeys.value
  }

  /// Closes what a stop has left open; to be called once nobody needs it any more. If `run` is not there yet, it leaves
  /// nothing.
  package func close() async {
    let rest = rest.withLock { rest in
      defer { rest = .closed }
      return rest
    }
    if case .port(let open) = rest { await open.close(grace: Self.lastGrace) }
  }

  private func leave(_ open: OpenPort) async {
    let isLate = rest.withLock { rest in
      if case .closed = rest { return true }
      rest = .port(open)
      return false
    }
    if isLate { await open.close(grace: Self.lastGrace) }
  }

  private func listener() async throws -> Listener {
    let settings = site.services.settings
    try await site.services.identity.start()
    // The first one that the client knows too.
    let protocols = (settings.offersHTTP2 ? [HTTPConnectionHandler.http2Name] : []) + ["http/1.1"]
    let certificate = try settings.tls.map { try ListenerCertificate($0, protocols: protocols) }
    shownCertificate.withLock { $0 = certificate }
    return Listener(
      host: host, port: settings.port, group: settings.eventLoopGroup, certificate: certificate,
      pipeline: HTTPPipeline(site: site))
  }

  /// Access tokens are the only secrets that there are; without one, nobody from outside is let in.
  private var host: String {
    let host = site.services.settings.host
    return site.services.tokens.isEmpty && !LoopbackHost.contains(host) ? LoopbackHost.address : host
  }
}
