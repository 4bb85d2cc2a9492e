import NIOSSL
import Synchronization

/// The certificate that new connections are shown; can be read anew while the server runs.
final class CCSCertificates: Sendable {
  private let files: CCSConfiguration.TLS
  private let context: Mutex<NIOSSLContext>

  init(_ files: CCSConfiguration.TLS) throws {
    self.files = files
    context = Mutex(try Self.read(files))
  }

  var current: NIOSSLContext { context.withLock { $0 } }

  /// - Throws: if the files cannot be used; then the earlier certificate stays.
  func reload() throws {
    let fresh = try Self.read(files)
    context.withLock { $0 = fresh }
  }

  private static func read(_ files: CCSConfiguration.TLS) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMFile(files.certificateChainPath)
      .map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: files.privateKeyPath, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    return try NIOSSLContext(configuration: configuration)
  }
}
