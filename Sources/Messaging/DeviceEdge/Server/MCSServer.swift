public import EdgeSecurity
import EngineKit
public import Logging
public import MessagingEngine
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The server of devices' connections: listens, serves, and stops gracefully. Spec: GCM D6.
///
/// Run it in a `ServiceGroup`, or in a task that is cancelled to end it at once.
public final class MCSServer: Service {
  private enum Binding {
    case pending([CheckedContinuation<SocketAddress, any Error>])
    case settled(Result<SocketAddress, any Error>)
  }

  private let messaging: MessagingService
  private let configuration: MCSConfiguration
  /// What new connections are shown; nil without TLS.
  public let certificate: ListenerCertificate?
  private let admission: Admission
  private let logger: Logger
  private let binding = Mutex<Binding>(.pending([]))

  /// - Parameter messaging: may still be recovering: devices are then told to come back.
  /// - Throws: if the certificate cannot be read.
  public init(messaging: MessagingService, configuration: MCSConfiguration, logger: Logger) throws {
    self.messaging = messaging
    self.configuration = configuration
    certificate = try configuration.tls.map {
      try ListenerCertificate(certificateChainPath: $0.certificateChainPath, privateKeyPath: $0.privateKeyPath)
    }
    admission = Admission(limits: configuration.limits)
    self.logger = logger
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

  /// Connections that are open.
  public var connectionCount: Int { admission.current }

  /// Serves until the graceful shutdown (or the task's cancellation), then stops: takes no more connections, tells the
  /// devices to come back, and grants them `DeviceEdgeLimits.shutdownGrace` to hear it.
  /// - Throws: if it cannot listen.
  public func run() async throws {
    let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
    let sweeps = DeadlineSweeps(group: group)
    let listener: any Channel
    do {
      listener = try await MCSListener(
        messaging: messaging, configuration: configuration, certificate: certificate, admission: admission,
        sweeps: sweeps, metrics: DeviceMetrics(transport: "mcs")
      ).listen(on: group)
      guard let address = listener.localAddress else { throw ChannelError.unknownLocalAddress }
      settle(.success(address))
    } catch {
      settle(.failure(error))
      throw error
    }
    sweeps.start()
    logger.info("listening for devices", metadata: ["port": "\(listener.localAddress?.port ?? 0)"])
    try? await gracefulShutdown()
    await stop(listener, sweeps)
  }

  private func stop(_ listener: any Channel, _ sweeps: DeadlineSweeps) async {
    try? await listener.close().get()
    sweeps.stopAll()
    if !Task.isCancelled { await untilAllAreClosed(within: configuration.limits.shutdownGrace) }
    sweeps.cutAll()
    // Nobody's cancellation may leave a socket behind.
    await Task { await untilAllAreClosed(within: .seconds(1)) }.value
    sweeps.end()
  }

  private func untilAllAreClosed(within patience: Duration) async {
    let end = ContinuousClock.now + patience
    while admission.current > 0, ContinuousClock.now < end {
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
