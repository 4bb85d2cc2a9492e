package import EdgeSecurity
package import NIOCore
import NIOPosix

/// Where a port listens, on which threads, and what it does with the connections that come.
package struct Listener: Sendable {
  private let host: String
  private let port: Int
  private let group: any EventLoopGroup
  private let certificate: ListenerCertificate?
  private let pipeline: any PortPipeline

  private static let backlog: CInt = 1_024
  /// Connections taken in one turn of the accepting loop.
  private static let acceptsPerTurn: UInt = 16

  /// - Parameters:
  ///   - port: 0 takes any free one.
  ///   - group: the threads that serve connections; nil takes the process's shared ones.
  ///   - certificate: nil without TLS.
  package init(
    host: String, port: Int, group: (any EventLoopGroup)?, certificate: ListenerCertificate?,
    pipeline: any PortPipeline
  ) {
    self.host = host
    self.port = port
    self.group = group ?? MultiThreadedEventLoopGroup.singleton
    self.certificate = certificate
    self.pipeline = pipeline
  }

  func listen(_ admission: ConnectionAdmission) async throws -> OpenPort {
    let residents = Residents(group: group)
    let acceptor = Acceptor(
      admission: admission, residents: residents, certificate: certificate, pipeline: pipeline)
    let read = type(of: pipeline).readBufferBytes
    let bootstrap = ServerBootstrap(group: group)
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
      // One read in a turn, so that no buffer is kept; what is left in the socket is the next turn's.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator, value: PassingReadBuffers(initial: read.initial, maximum: read.maximum)
      )
      .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try acceptor.accept(channel) } }
    let channel = try await pipeline.configure(bootstrap).bind(host: host, port: port).get()
    return try OpenPort(channel: channel, residents: residents, connections: admission.connections)
  }
}
