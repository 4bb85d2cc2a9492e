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
    let files = try RSACertificate()
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

/// A self-signed certificate in a directory of its own: of RSA, which alone can do without forward secrecy.
private final class RSACertificate {
  private static let script = """
    import datetime, sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        .sign(key, hashes.SHA256()))
    open(sys.argv[1], "wb").write(certificate.public_bytes(serialization.Encoding.PEM))
    open(sys.argv[2], "wb").write(key.private_bytes(serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    """

  private let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
  var certificate: URL { directory.appending(path: "chain.pem") }
  var key: URL { directory.appending(path: "key.pem") }

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try StandIn.run(script: Self.script, [certificate.path, key.path])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }
}
