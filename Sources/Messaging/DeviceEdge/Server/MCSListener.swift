import EdgeSecurity
import EngineKit
import MessagingEngine
import NIOCore
import NIOPosix
import NIOSSL
import NetworkAddress

/// Opens the port and builds the pipeline of each connection.
struct MCSListener: Sendable {
  let messaging: MessagingService
  let configuration: MCSConfiguration
  let certificate: ListenerCertificate?
  let admission: Admission
  let sweeps: DeadlineSweeps
  let metrics: DeviceMetrics

  private static let backlog: CInt = 1_024
  /// Connections taken in one turn of the accepting loop.
  private static let acceptsPerTurn: UInt = 16
  #if os(Linux)
    /// `TCP_USER_TIMEOUT` of `linux/tcp.h`.
    private static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
  #endif

  func listen(on group: any EventLoopGroup) async throws -> any Channel {
    let read = DeviceEdgeLimits.readBufferBytes
    let backlog = configuration.limits.backlogBytesMaximum
    var bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.maxMessagesPerRead, value: Self.acceptsPerTurn)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Out of descriptors: pauses instead of spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      // One message at a time, so that the pool of read buffers holds one.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: read.minimum, initial: read.initial, maximum: read.maximum)
      )
      .childChannelOption(.writeBufferWaterMark, value: .init(low: backlog / 2, high: backlog))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try build(channel) }
      }
    #if os(Linux)
      // A dead peer is noticed by the next ping, also if its client is one of those that never answer.
      bootstrap = bootstrap.childChannelOption(
        .tcpOption(Self.userTimeout),
        value: SocketOptionValue(configuration.limits.deadPeerTimeout / .milliseconds(1)))
    #endif
    return try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
  }

  /// What stands in the pipeline of a connection.
  func build(_ channel: any Channel) throws {
    guard let sweep = sweeps[channel.eventLoop] else { throw ChannelError.inappropriateOperationForState }
    // A handshake is more than a connection gets that there is no room for.
    guard let seat = admission.admit(channel.remoteAddress) else {
      metrics.countRefused()
      throw ChannelError.operationUnsupported
    }
    do {
      let pipeline = channel.pipeline.syncOperations
      if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
      let (messaging, metrics, limits, eventLoop) = (messaging, metrics, configuration.limits, channel.eventLoop)
      let guesses = GuessGuard(messaging.security, configuration.budgets)
      let address = channel.remoteAddress.flatMap { IPAddress($0) }
      try pipeline.addHandler(
        MCSConnectionHandler(sweep: sweep, seat: seat, limits: limits) { transport in
          DeviceConnection(
            messaging: messaging, eventLoop: eventLoop, metrics: metrics, guesses: guesses, limits: limits.session,
            address: address, transport: transport)
        })
    } catch {
      seat.leave()
      throw error
    }
  }
}
