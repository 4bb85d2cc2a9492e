internal import Foundation
internal import NIOSSL

/// The TLS side of the settings, read from the files once. Spec: providers 2.1 (trust), 2.3.
struct TLSMaterial {
  let context: NIOSSLContext
  /// When the client certificate ends; nil without one.
  let certificateExpiry: Date?

  init(_ settings: HTTP2Settings) throws(HTTP2ConfigurationError) {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["h2"]
    tls.shutdownTimeout = Limits.closeTimeout
    if let path = settings.caFile {
      tls.trustRoots = .certificates(try Self.certificates(inPEM: path))
    }
    var leaf: NIOSSLCertificate?
    switch settings.clientCertificate {
    case nil: break
    case .pem(let chainPath, let keyPath):
      let chain = try Self.certificates(inPEM: chainPath)
      let keyBytes = try Self.read(keyPath)
      // An empty passphrase instead of none: BoringSSL would ask on the terminal for the one of a locked key.
      guard let key = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem, passphraseCallback: { $0([UInt8]()) }) else {
        throw HTTP2ConfigurationError(.badCertificate, "no PEM private key in \(Self.name(keyPath))")
      }
      tls.certificateChain = chain.map { .certificate($0) }
      tls.privateKey = .privateKey(key)
      leaf = chain.first
    case .pkcs12(let path, let password):
      let bytes = try Self.read(path)
      let bundle: NIOSSLPKCS12Bundle
      do {
        bundle = try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: password.map { [UInt8]($0.utf8) })
      } catch {
        throw HTTP2ConfigurationError(.badCertificate, "not PKCS#12, or a wrong password: \(Self.name(path))")
      }
      tls.certificateChain = bundle.certificateChain.map { .certificate($0) }
      tls.privateKey = .privateKey(bundle.privateKey)
      leaf = bundle.certificateChain.first
    }
    certificateExpiry = leaf.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) }
    do {
      context = try NIOSSLContext(configuration: tls)
    } catch {
      throw HTTP2ConfigurationError(.badCertificate, "client certificate and key do not fit together")
    }
  }

  private static func certificates(inPEM path: String) throws(HTTP2ConfigurationError) -> [NIOSSLCertificate] {
    let bytes = try read(path)
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
      throw HTTP2ConfigurationError(.badCertificate, "no PEM certificate in \(name(path))")
    }
    return certificates
  }

  private static func read(_ path: String) throws(HTTP2ConfigurationError) -> [UInt8] {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw HTTP2ConfigurationError(.fileUnreadable, "cannot read \(name(path))")
    }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: Limits.fileBytesMaximum + 1) else {
      throw HTTP2ConfigurationError(.fileUnreadable, "cannot read \(name(path))")
    }
    guard data.count <= Limits.fileBytesMaximum else {
      throw HTTP2ConfigurationError(.fileUnreadable, "\(name(path)) is too large")
    }
    return [UInt8](data)
  }

  private static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
}
