public import Foundation

/// A self-signed certificate of `localhost` and `127.0.0.1`, in a directory of its own that goes with it.
public final class SelfSignedCertificate: Sendable {
  public enum Algorithm: String, Sendable {
    case ecdsa
    /// Which alone can do without forward secrecy.
    case rsa
  }

  private static let script = """
    import datetime, ipaddress, sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    key = (rsa.generate_private_key(public_exponent=65537, key_size=2048) if sys.argv[1] == "rsa"
        else ec.generate_private_key(ec.SECP256R1()))
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False).sign(key, hashes.SHA256()))
    open(sys.argv[2], "wb").write(certificate.public_bytes(serialization.Encoding.PEM))
    open(sys.argv[3], "wb").write(key.private_bytes(serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    """

  private let algorithm: Algorithm
  private let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
  public var certificate: URL { directory.appending(path: "chain.pem") }
  public var key: URL { directory.appending(path: "key.pem") }

  /// - Throws: if there is no Python with the package `cryptography`.
  public init(_ algorithm: Algorithm = .ecdsa) throws {
    self.algorithm = algorithm
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try make()
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Makes key and certificate anew, in the same files.
  public func make() throws {
    try StandIn.run(script: Self.script, [algorithm.rawValue, certificate.path, key.path])
  }
}
