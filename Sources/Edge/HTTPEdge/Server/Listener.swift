import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Opens the port and builds the pipeline of each connection.
struct Listener {
  let services: EdgeServices
  let residents: Residents

  private static let backlog: CInt = 1_024
  /// Connections taken in one turn of the accepting loop.
  private static let acceptsPerTurn: UInt = 16

  func listen(on group: any EventLoopGroup) async throws -> any Channel {
    let tls = try services.configuration.tls.map { try Self.context($0) }
    let (services, residents) = (services, residents)
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
      .childChannelOption(.allowRemoteHalfClosure, value: tls == nil)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: read.minimum, initial: read.initial, maximum: read.maximum)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try Self.build(channel, services, residents, tls) }
      }
      .bind(host: host(), port: services.configuration.port).get()
  }

  /// Agents' tokens are the only secrets that there are; without one, nobody from outside is let in.
  private func host() -> String {
    let host = services.configuration.host
    guard services.tokens.isEmpty, !EdgeConfiguration.isLoopback(host) else { return host }
    services.logger.warning("no access token yet: listening on loopback only; make one with `carillon token create`")
    return "127.0.0.1"
  }

  private static func build(
    _ channel: any Channel, _ services: EdgeServices, _ residents: Residents, _ tls: NIOSSLContext?
  ) throws {
    guard let residents = residents[channel.eventLoop] else { throw ChannelError.inappropriateOperationForState }
    let pipeline = channel.pipeline.syncOperations
    guard services.connections.open(limit: services.limits.connectionsMaximum) else {
      services.metrics.countRefusedConnection()
      if tls != nil { throw ChannelError.operationUnsupported }  // a handshake is more than such a client gets
      try pipeline.addHandler(RefusingHandler())
      return
    }
    channel.closeFuture.whenComplete { _ in services.connections.close() }
    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = services.limits.headBytesMaximum
    limits.maxHeaderListSize = services.limits.headBytesMaximum
    limits.maxHeaderFieldCount = services.limits.headerFieldsMaximum
    let parser = ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
    try pipeline.addHandler(parser)
    try pipeline.addHandler(HTTPConnectionHandler(services: services, residents: residents, parser: parser))
  }

  private static func context(_ tls: EdgeConfiguration.TLS) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMFile(tls.certificateChainPath)
      .map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: tls.privateKeyPath, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return try NIOSSLContext(configuration: configuration)
  }
}
