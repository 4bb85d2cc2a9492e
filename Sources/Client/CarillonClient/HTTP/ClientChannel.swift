import NIOCore
import NIOPosix

/// How every connection of this client is made.
enum ClientChannel {
  /// Connects, and takes TLS before everything else where the address asks for it.
  /// - Parameter addHandlers: called on the loop before the connection is made.
  /// - Returns: fails with a `ClientError.unreachable`.
  static func open(
    to address: ServerAddress, on loop: any EventLoop, security: TransportSecurity?,
    addHandlers: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<Void> {
    guard !address.isSecure || security != nil else {
      return loop.makeFailedFuture(ClientError.unreachable("https needs a TransportSecurity"))
    }
    return ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(Limits.connectTimeout))
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if address.isSecure, let security {
            for handler in try security(address) { try channel.pipeline.syncOperations.addHandler(handler) }
          }
          try addHandlers(channel)
        }
      }
      .connect(host: address.host, port: address.port)
      .flatMapThrowing { _ in }
      .flatMapErrorThrowing { error in throw ClientError.unreachable("\(error)") }
  }
}

extension ClientError {
  /// What has broken a connection.
  init(_ error: any Error) { self = (error as? ClientError) ?? .connectionClosed }
}
