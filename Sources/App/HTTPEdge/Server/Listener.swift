import EdgeSecurity
import Engine
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkAddress

/// Opens the port and builds the pipeline of each connection.
struct Listener {
  let services: EdgeServices
  let residents: Residents
  /// Nil for plain HTTP.
  let certificate: ListenerCertificate?

  private static let backlog: CInt = 1_024
  /// Connections taken in one turn of the accepting loop.
  private static let acceptsPerTurn: UInt = 16

  func listen(on group: any EventLoopGroup) async throws -> any Channel {
    let (services, residents, certificate) = (services, residents, certificate)
    let read = EdgeLimits.readBufferBytes
    return try await ServerBootstrap(group: group)
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
      // Under TLS the end of the client's stream is the end of the connection: nobody half-closes it.
      .childChannelOption(.allowRemoteHalfClosure, value: certificate == nil)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: read.minimum, initial: read.initial, maximum: read.maximum)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try Self.build(channel, services, residents, certificate) }
      }
      .bind(host: host(), port: services.configuration.port).get()
  }

  /// Agents' tokens are the only secrets that there are; without one, nobody from outside is let in.
  private func host() -> String {
    let host = services.configuration.host
    guard services.tokens.isEmpty, !EdgeConfiguration.isLoopback(host) else { return host }
    return "127.0.0.1"
  }

  private static func build(
    _ channel: any Channel, _ services: EdgeServices, _ residents: Residents, _ certificate: ListenerCertificate?
  ) throws {
    guard let residents = residents[channel.eventLoop] else { throw ChannelError.inappropriateOperationForState }
    let pipeline = channel.pipeline.syncOperations
    guard services.connections.open(limit: services.limits.connectionsMaximum) else {
      services.metrics.countRefusedConnection()
      if certificate != nil { throw ChannelError.operationUnsupported }  // a handshake is more than such a client gets
      let failure = EdgeFailure.unavailable("The server has no room for another connection")
      try pipeline.addHandler(RefusingHandler(failure, security: services.securityFields))
      return
    }
    channel.closeFuture.whenComplete { _ in services.connections.close() }
    // A trusted proxy's connections are those of everybody.
    let peer = channel.remoteAddress.flatMap { IPAddress($0) }
    if !services.configuration.proxies.trusts(peer) {
      guard services.budgets.connected(from: peer) else {
        services.metrics.countRefusedConnection()
        services.engine.security.note(.tooManyConnections, from: peer)
        if certificate != nil { throw ChannelError.operationUnsupported }
        try pipeline.addHandler(RefusingHandler(.tooManyConnections, security: services.securityFields))
        return
      }
      channel.closeFuture.whenComplete { _ in services.budgets.disconnected(from: peer) }
    }
    if let certificate { try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context)) }
    try addHandlers(to: pipeline, services, residents)
  }

  /// What stands above TLS in the pipeline of a connection.
  static func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ services: EdgeServices, _ residents: LoopResidents
  ) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = services.limits.headBytesMaximum
    limits.maxHeaderListSize = services.limits.headBytesMaximum
    limits.maxHeaderFieldCount = services.limits.headerFieldsMaximum
    let meter = MeteredRequestDecoder(limits)
    let parser = ByteToMessageHandler(meter)
    try pipeline.addHandler(parser)
    try pipeline.addHandler(
      HTTPConnectionHandler(services: services, residents: residents, parser: parser, meter: meter))
  }
}
