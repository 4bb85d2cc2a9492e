import Foundation
import Logging
import NIOSSL
import StandInSupport
import Synchronization
import Testing

@testable import EdgeSecurity

@Suite("Certificates of listeners", .timeLimit(.minutes(2)), .enabled(if: StandIn.python != nil))
struct ListenerCertificateTests {
  private static let day = 86_400

  @Test("files that change are read again, those that do not are left alone")
  func changed() throws {
    let files = try CertificateFiles(days: 30)
    let certificate = try files.open()
    let (context, end) = (certificate.context, certificate.endSeconds)
    #expect(abs(end - Int(Date().timeIntervalSince1970) - 30 * Self.day) < Self.day)
    #expect(try !certificate.reloadIfChanged())
    #expect(certificate.context === context)
    try files.make(days: 90)
    #expect(try certificate.reloadIfChanged())
    #expect(certificate.context !== context && certificate.endSeconds - end > 50 * Self.day)
    #expect(try !certificate.reloadIfChanged())
    // Nobody touched them, but the operator says so.
    let second = certificate.context
    try certificate.reload()
    #expect(certificate.context !== second)
  }

  @Test("while only one of the two files is renewed, the earlier certificate stays, and that is said once")
  func halfRenewed() throws {
    let files = try CertificateFiles(days: 30)
    let certificate = try files.open()
    let context = certificate.context
    let key = try Data(contentsOf: files.key)
    try files.make(days: 90)
    let renewed = try Data(contentsOf: files.key)
    try key.write(to: files.key)
    #expect(throws: (any Error).self) { try certificate.reloadIfChanged() }
    #expect(try !certificate.reloadIfChanged())
    #expect(certificate.context === context)
    try FileManager.default.removeItem(at: files.key)
    #expect(throws: (any Error).self) { try certificate.reloadIfChanged() }
    #expect(throws: (any Error).self) { try certificate.reload() }
    #expect(certificate.context === context)
    try renewed.write(to: files.key)
    #expect(try certificate.reloadIfChanged())
    #expect(certificate.context !== context)
  }

  @Test("what ends within two weeks is warned of once a day, and what has ended is an error")
  func warnings() throws {
    let files = try CertificateFiles(days: 30)
    let certificate = try files.open()
    let log = LogRecorder()
    let watch = CertificateWatch(
      [("http", { certificate }), ("mcs", { nil })], logger: Logger(label: "test") { _ in log })
    let end = certificate.endSeconds
    watch.look(now: end - 15 * Self.day)
    #expect(log.lines.isEmpty)
    watch.look(now: end - 13 * Self.day)
    watch.look(now: end - 13 * Self.day + 10)
    #expect(
      log.lines == [
        "warning http: a certificate ends in 13 days: once its files are renewed they are read by themselves"
      ])
    watch.look(now: end - 12 * Self.day)
    #expect(log.lines.count == 2)
    watch.look(now: end)
    #expect(log.lines.last == "error http: a certificate has ended: clients refuse to connect")
    try files.make(days: 90)
    watch.look(now: end)
    #expect(log.lines.last == "notice http: certificate read again" && log.lines.count == 4)
    watch.reload()
    #expect(log.lines.count == 5)
  }
}

/// Takes the lines of a log, with the port that they are about.
private final class LogRecorder: LogHandler, Sendable {
  private let recorded = Mutex<[String]>([])
  var lines: [String] { recorded.withLock { $0 } }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .trace }
    set {}
  }
  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) {
    recorded.withLock {
      $0.append("\(event.level) \(event.metadata?["port"].map { "\($0)" } ?? "-"): \(event.message)")
    }
  }
}

/// A self-signed certificate and its key, in a directory of their own.
private final class CertificateFiles {
  private static let script = """
    import datetime, sys
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=int(sys.argv[3]))).sign(key, hashes.SHA256()))
    open(sys.argv[1], "wb").write(certificate.public_bytes(serialization.Encoding.PEM))
    open(sys.argv[2], "wb").write(key.private_bytes(serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    """

  private let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
  var chain: URL { directory.appending(path: "chain.pem") }
  var key: URL { directory.appending(path: "key.pem") }

  init(days: Int) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try make(days: days)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open() throws -> ListenerCertificate {
    try ListenerCertificate(TLSFiles(certificateChainPath: chain.path, privateKeyPath: key.path))
  }

  func make(days: Int) throws {
    try StandIn.run(script: Self.script, [chain.path, key.path, "\(days)"])
  }
}
