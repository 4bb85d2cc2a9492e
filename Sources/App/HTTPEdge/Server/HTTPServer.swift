public import EdgeSecurity
public import Engine
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The HTTP server: listens, serves, and stops gracefully.
///
/// Comet endpoint and WebSocket are answered on the event loops; everything else is a route. Run it in a
/// `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class HTTPServer: Service {
  private enum Binding {
    case pending([CheckedContinuation<SocketAddress, any Error>])
    case settled(Result<SocketAddress, any Error>)
  }

  private let services: EdgeServices
  private let binding = Mutex<Binding>(.pending([]))
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
  }

  /// Where the server listens; waits until it does. - Throws: what kept it from listening.
  public var boundAddress: SocketAddress {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = binding.withLock { binding -> Result<SocketAddress, any Error>? in
          switch binding {
          case .settled(let result): return result
          case .pending(let waiting):
            binding = .pending(waiting + [continuation])
            return nil
          }
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }

  /// The port of `boundAddress`.
  public var boundPort: Int {
    get async throws { try await boundAddress.port ?? 0 }
  }

  /// What new connections are shown; nil without TLS, and before the server listens.
  public var certificate: ListenerCertificate? { shownCertificate.withLock { $0 } }

  /// Connections that are open.
  public var connectionCount: Int { services.connections.current }

  /// Requests of the Comet endpoint that wait for their answer.
  public var heldPollCount: Int { services.heldPolls.current }

  /// Reads the keys of users' tokens again. What cannot be used leaves all as it was, and is logged.
  public func reloadIdentity() async { await services.identity.reload() }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, closes the
  /// idle ones, lets the engine answer what is held, and grants the rest `EdgeLimits.shutdownGrace`.
  /// - Throws: if it cannot listen, or cannot read the certificate or the keys that prove users.
  public func run() async throws {
    let group = services.configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
    let residents = Residents(group: group)
    let listener: any Channel
    do {
      try await services.identity.start()
      let certificate = try services.configuration.tls.map { files in
        try ListenerCertificate(
          certificateChainPath: files.certificateChainPath, privateKeyPath: files.privateKeyPath,
          protocols: ["http/1.1"])
      }
      shownCertificate.withLock { $0 = certificate }
      listener = try await Listener(services: services, residents: residents, certificate: certificate)
        .listen(on: group)
      guard let address = listener.localAddress else { throw ChannelError.unknownLocalAddress }
      settle(.success(address))
    } catch {
      settle(.failure(error))
      throw error
    }
    residents.start()
    services.logger.info("listening", metadata: ["port": "\(listener.localAddress?.port ?? 0)"])
    let keepingKeys = Task { [identity = services.identity] in await identity.keepKeys() }
    try? await gracefulShutdown()
    keepingKeys.cancel()
    await stop(listener, residents)
    await keepingKeys.value
  }

  private func stop(_ listener: any Channel, _ residents: Residents) async {
    try? await listener.close().get()
    residents.stopAll()
    await services.engine.drain()
    if !Task.isCancelled { await untilAllAreClosed(within: services.limits.shutdownGrace) }
    residents.cutAll()
    // Nobody's cancellation may leave a socket behind.
    await Task { await untilAllAreClosed(within: .seconds(1)) }.value
    residents.end()
  }

  private func untilAllAreClosed(within patience: Duration) async {
    let end = ContinuousClock.now + patience
    while services.connections.current > 0, ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
    }
  }

  private func settle(_ result: Result<SocketAddress, any Error>) {
    let waiting = binding.withLock { binding -> [CheckedContinuation<SocketAddress, any Error>] in
      guard case .pending(let waiting) = binding else { return [] }
      binding = .settled(result)
      return waiting
    }
    for continuation in waiting { continuation.resume(with: result) }
  }
}
