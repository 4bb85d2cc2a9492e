import EdgeSecurity
import NIOCore
import NIOPosix
import NIOSSL
import NetworkAddress

/// Opens the port and builds the pipeline of each connection.
struct CCSListener {
  let services: CCSServices
  let connections: CCSConnections

  private static let backlog: CInt = 256

  func listen(on group: any EventLoopGroup) async throws -> any Channel {
    let (services, connections) = (services, connections)
    let read = CCSLimits.readBufferBytes
    return try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // Out of descriptors: pauses instead of spinning.
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: read.minimum, initial: read.initial, maximum: read.maximum)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try Self.build(channel, services, connections) }
      }
      .bind(host: services.configuration.host, port: services.configuration.port).get()
  }

  /// What stands in the pipeline of a connection.
  static func build(
    _ channel: any Channel, _ services: CCSServices, _ connections: CCSConnections
  ) throws {
    guard let connections = connections[channel.eventLoop] else { throw ChannelError.inappropriateOperationForState }
    // An error here closes the connection: no handshake and no word for one too many.
    guard services.metrics.open(limit: services.limits.connectionsMaximum) else {
      throw ChannelError.operationUnsupported
    }
    channel.closeFuture.whenComplete { _ in services.metrics.close() }
    let (budgets, peer) = (services.configuration.budgets, channel.remoteAddress.flatMap { IPAddress($0) })
    guard budgets.connected(from: peer) else {
      services.metrics.countClosing("too-many-from-address")
      throw ChannelError.operationUnsupported
    }
    channel.closeFuture.whenComplete { _ in budgets.disconnected(from: peer) }
    let pipeline = channel.pipeline.syncOperations
    if let tls = services.certificate?.context { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
    try pipeline.addHandler(CCSConnectionHandler(id: randomID(), services: services, connections: connections))
  }

  /// 128 random bits.
  private static func randomID() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next() as UInt64, radix: 36) + String(generator.next() as UInt64, radix: 36)
  }
}
