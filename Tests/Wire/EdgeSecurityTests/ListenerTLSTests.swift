import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import StandInSupport
import Testing

@testable import EdgeSecurity

@Suite("TLS of listeners", .timeLimit(.minutes(2)), .enabled(if: StandIn.python != nil))
struct ListenerTLSTests {
  @Test(
    "a client that cannot agree on a key of the connection's own gets none",
    arguments: [
      ([.TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384], false),
      ([.TLS_RSA_WITH_AES_128_CBC_SHA, .TLS_RSA_WITH_AES_256_CBC_SHA], false),
      ([.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA], false),
      ([.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], true), ([.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384], true),
      ([.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256], true),
      ([.TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], true),
    ] as [([NIOTLSCipher], Bool)])
  func suites(_ ciphers: [NIOTLSCipher], _ isServed: Bool) async throws {
    let files = try SelfSignedCertificate(.rsa)
    let context = try ListenerTLS.context(
      TLSFiles(certificateChainPath: files.certificate.path, privateKeyPath: files.key.path), protocols: ["http/1.1"])
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.certificateVerification = .none
    settings.maximumTLSVersion = .tlsv12
    settings.cipherSuiteValues = ciphers
    let client = try NIOSSLContext(configuration: settings)
    let outcome = group.any().makePromise(of: Bool.self)
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            NIOSSLClientHandler(context: client, serverHostname: nil), HandshakeWatch(outcome))
        }
      }
      .connect(host: "127.0.0.1", port: server.localAddress?.port ?? 0).get()
    #expect(try await outcome.futureResult.get() == isServed)
    try? await channel.close()
    try await server.close()
  }
}

/// Whether the handshake came to an end.
private final class HandshakeWatch: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let outcome: EventLoopPromise<Bool>

  init(_ outcome: EventLoopPromise<Bool>) { self.outcome = outcome }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Completed, or the connection's end.
    if "\(event)".contains("handshakeCompleted") { outcome.succeed(true) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    outcome.succeed(false)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { outcome.succeed(false) }
}
