import EdgeSecurity
import Foundation
import MCSProtocol
import StandInSupport
import Testing

@testable import DeviceEdge

@Suite("MCS server over TLS", .timeLimit(.minutes(2)), .serialized, .enabled(if: StandIn.python != nil))
struct TLSTests {
  @Test("a message reaches the device")
  func delivery() async throws {
    let files = try Certificate()
    try await DeviceRig.run(tls: files.tls) { rig in
      let (credentials, token) = try await rig.device()
      let client = try await rig.logIn(credentials)
      let id = try await rig.send(to: token)
      #expect(try await client.message().persistentID == id)
    }
  }

  @Test("a new certificate is shown to the next connection; a broken one is not taken")
  func reload() async throws {
    let files = try Certificate()
    try await DeviceRig.run(tls: files.tls) { rig in
      let (credentials, _) = try await rig.device()
      let old = try Data(contentsOf: URL(fileURLWithPath: files.tls.certificateChainPath))
      try files.make()
      #expect(try Data(contentsOf: URL(fileURLWithPath: files.tls.certificateChainPath)) != old)
      // The client trusts the file's new certificate only.
      let refused = try await rig.connect()
      #expect(try await refused.next() == nil)
      #expect(try rig.server.certificate?.reloadIfChanged() == true)
      let client = try await rig.logIn(credentials)
      #expect(try await client.ping().isEmpty)
      try Data("nothing".utf8).write(to: URL(fileURLWithPath: files.tls.privateKeyPath))
      #expect(throws: (any Error).self) { try rig.server.certificate?.reload() }
      _ = try await rig.logIn(credentials)
    }
  }

  @Test("a client that does not finish its handshake is closed in time")
  func handshake() async throws {
    var limits = DeviceEdgeLimits()
    limits.session.loginTimeout = .seconds(2)
    let files = try Certificate()
    try await DeviceRig.run(limits: limits, tls: files.tls) { rig in
      let client = try await MCSClient.connect(rig.port)
      try await client.send(bytes: [22, 3, 1, 0, 200, 1])
      #expect(try await client.next() == nil)
    }
  }
}

/// A self-signed certificate in a directory of its own.
private final class Certificate {
  private static let script = """
    import datetime, sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256()))
    open(sys.argv[1], "wb").write(certificate.public_bytes(serialization.Encoding.PEM))
    open(sys.argv[2], "wb").write(key.private_bytes(serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    """

  private let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
  var tls: TLSFiles {
    TLSFiles(
      certificateChainPath: directory.appending(path: "chain.pem").path,
      privateKeyPath: directory.appending(path: "key.pem").path)
  }

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try make()
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func make() throws {
    try StandIn.run(script: Self.script, [tls.certificateChainPath, tls.privateKeyPath])
  }
}
