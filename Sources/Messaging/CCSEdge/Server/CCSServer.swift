public import EdgeSecurity
import EngineKit
public import Logging
public import MessagingEngine
public import NIOCore
import NIOPosix
public import ServiceLifecycle

/// The XMPP connection server: app servers send through it, and get what devices send them. Spec: GCM C.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class CCSServer: Service {
  private let services: CCSServices
  private let group: any EventLoopGroup
  private let binding: EventLoopPromise<SocketAddress>

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
    group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
    binding = group.any().makePromise()
  }

  /// Nobody waits any more, but a promise has to be kept.
  deinit { binding.fail(ChannelError.ioOnClosedChannel) }

  /// Where the server listens; waits until it does. - Throws: what kept it from listening.
  public var boundAddress: SocketAddress {
    get async throws { try await binding.futureResult.get() }
  }

  /// The port of `boundAddress`.
  public var boundPort: Int {
    get async throws { try await boundAddress.port ?? 0 }
  }

  /// Connections that are open.
  public var connectionCount: Int { services.metrics.connectionCount }

  /// What new connections are shown; nil without TLS.
  public var certificate: ListenerCertificate? { services.certificate }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, tells the
  /// clients that theirs are draining, and grants them `CCSLimits.shutdownGrace`. Spec: GCM C13.
  /// - Throws: if it cannot listen.
  public func run() async throws {
    let connections = CCSConnections(group: group)
    let listener: any Channel
    do {
      listener = try await CCSListener(services: services, connections: connections).listen(on: group)
      guard let address = listener.localAddress else { throw ChannelError.unknownLocalAddress }
      binding.succeed(address)
    } catch {
      binding.fail(error)
      throw error
    }
    connections.forEach { $0.start() }
    services.logger.info("listening for app servers", metadata: ["port": "\(listener.localAddress?.port ?? 0)"])
    try? await gracefulShutdown()
    await stop(listener, connections)
  }

  private func stop(_ listener: any Channel, _ connections: CCSConnections) async {
    try? await listener.close().get()
    connections.forEach { $0.drainAll() }
    if !Task.isCancelled { await untilAllAreClosed(within: services.limits.shutdownGrace) }
    connections.forEach { $0.cutAll() }
    // Nobody's cancellation may leave a socket behind.
    await Task { await untilAllAreClosed(within: .seconds(1)) }.value
    connections.forEach { $0.end() }
  }

  private func untilAllAreClosed(within patience: Duration) async {
    let end = ContinuousClock.now + patience
    while connectionCount > 0, ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
    }
  }
}
