import EdgeSecurity
import EngineKit
import MCSProtocol
import MessagingEngine
import NIOCore
import NIOPosix
import NetworkAddress
import ServerKit

/// The pipeline of a device's connection.
struct MCSPipeline: PortPipeline {
  let messaging: MessagingService
  let configuration: MCSConfiguration
  let metrics = DeviceMetrics(transport: "mcs")
  /// Connections that have not logged in yet.
  let anonymous = OpenCount()
  private let sessionLimits: SharedMCSLimits

  init(messaging: MessagingService, configuration: MCSConfiguration) {
    self.messaging = messaging
    self.configuration = configuration
    sessionLimits = SharedMCSLimits(configuration.limits.session)
  }

  #if os(Linux)
    /// `TCP_USER_TIMEOUT` of `linux/tcp.h`.
    private static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
  #endif

  static var readBufferBytes: (initial: Int, maximum: Int) { DeviceEdgeLimits.readBufferBytes }

  func configure(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
    let backlog = configuration.limits.backlogBytesMaximum
    let bootstrap =
      bootstrap
      .childChannelOption(.writeBufferWaterMark, value: .init(low: backlog / 2, high: backlog))
    #if os(Linux)
      // A dead peer is noticed by the next ping, also if its client is one of those that never answer.
      return bootstrap.childChannelOption(
        .tcpOption(Self.userTimeout),
        value: SocketOptionValue(configuration.limits.deadPeerTimeout / .milliseconds(1)))
    #else
      return bootstrap
    #endif
  }

  func addHandlers(to channel: any Channel, _ residents: LoopResidents) throws {
    guard anonymous.open(limit: configuration.limits.anonymousConnectionsMaximum) else {
      metrics.countRefused()
      throw ChannelError.operationUnsupported
    }
    let (messaging, metrics, limits, eventLoop) = (messaging, metrics, sessionLimits, channel.eventLoop)
    let guesses = GuessGuard(messaging.security, configuration.budgets)
    let address = channel.remoteAddress.flatMap { IPAddress($0) }
    let handler = MCSConnectionHandler(
      residents: residents, anonymous: anonymous, limits: configuration.limits
    ) { transport in
      DeviceConnection(
        messaging: messaging, eventLoop: eventLoop, metrics: metrics, guesses: guesses, limits: limits,
        address: address, transport: transport)
    }
    do {
      try channel.pipeline.syncOperations.addHandler(handler)
    } catch {
      anonymous.close()
      throw error
    }
  }

  /// Nobody is told: a device that comes back in a while is all that there is to be had.
  func refuse(_ channel: any Channel, _ refusal: ConnectionAdmission.Refusal) throws {
    metrics.countRefused()
    throw ChannelError.operationUnsupported
  }
}
