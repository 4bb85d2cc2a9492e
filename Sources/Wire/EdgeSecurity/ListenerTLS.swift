public import NIOSSL

/// What each TLS port of the server speaks: TLS 1.3, or 1.2 with keys that nobody can work out later from the
/// certificate's own.
public enum ListenerTLS {
  /// The suites of TLS 1.2 that agree on new keys for each connection and authenticate what they encrypt. TLS 1.3 has
  /// no others. Spec: RFC 9325, 4.2.
  static let cipherSuites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  /// Reads both files; blocks for as long as that takes.
  ///
  /// - Parameter protocols: names for ALPN, the preferred one first; none are offered if there are none.
  /// - Throws: if the files cannot be used.
  public static func context(_ files: TLSFiles, protocols: [String] = []) throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMFile(files.certificateChainPath)
      .map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: files.privateKeyPath, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = cipherSuites
    configuration.applicationProtocols = protocols
    return try NIOSSLContext(configuration: configuration)
  }
}
