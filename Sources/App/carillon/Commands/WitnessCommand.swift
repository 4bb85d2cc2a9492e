import ArgumentParser
import EdgeSecurity
import EvidenceEdge
import HTTPKit
import Journal
import JournalFormat
import Logging
import NIOCore
import NIOSSL
import ServerKit
import ServiceLifecycle
import SystemPackage
import Transparency
import UnixSignals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `carillon witness`: cosigns other instances' checkpoints, if they go on with what they have signed before.
struct WitnessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "witness", abstract: "Cosign other instances' checkpoints, on a machine of its own.",
    discussion: """
      Keeps for each log the largest checkpoint that it has cosigned, and cosigns nothing that does not begin with it: \
      a log that shows two histories does not get both past its witnesses. Serves POST /add-checkpoint, as C2SP's \
      tlog-witness has it, to whoever can show a checkpoint of one of the logs; needs no configuration, no journal and \
      no token. Prints its key as a line for a policy. SIGTERM and SIGINT stop it gracefully.
      """)

  @Option(help: "The witness's Ed25519 key, PEM, as `journal key` writes it.") var key: String
  @Flag(help: "Make the key if there is none, and the state directory with it.") var createKey = false
  @Option(help: "What the witness is called, such as witness.example.com/w1; fixed for ever, as its key is.")
  var name: String
  @Option(help: "The directory that keeps what was cosigned. Never put an old copy of it in its place.")
  var state: String
  @Flag(help: "Begin a new state directory for a key that is there: only if the witness has never cosigned anything.")
  var createState = false
  @Option(help: "Address and port to listen on; port 0 takes a free one.") var listen = "127.0.0.1:8100"
  @Option(help: "The certificate chain, PEM; with --tls-key the port speaks TLS.") var tlsCertificate: String?
  @Option(help: "The private key of that certificate, PEM.") var tlsKey: String?
  @Option(name: .customLong("log"), help: "The verifier key of a log to witness; may be given again and again.")
  var logs: [String] = []
  @Option(help: "A policy whose logs are to be witnessed, beside those of --log.") var policy: String?

  func validate() throws {
    guard KeyName(name) != nil else {
      throw ValidationError("--name has 1 to 255 bytes, and neither spaces, control characters nor +.")
    }
    guard ListenAddress(text: listen) != nil else { throw ValidationError("--listen is not of the form HOST:PORT.") }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key go together.")
    }
    guard !logs.isEmpty || policy != nil else { throw ValidationError("Name a log with --log or --policy.") }
  }

  func run() async throws {
    JSONLogHandler.bootstrap(LogLevelSwitch(.info))
    let logger = Logger(label: "carillon")
    // A reader of the log that goes away must not end the witness.
    signal(SIGPIPE, SIG_IGN)
    try await Self.reporting {
      do {
        try await serve(logger)
        logger.notice("stopped")
      } catch let error where !CommandFailure.isKnown(error) {
        let failure = ServeFailure(error)
        throw CommandFailure(failure.status, "\(failure)")
      }
    }
  }

  private func serve(_ logger: Logger) async throws {
    let verifierKeys = try self.verifierKeys()
    guard let name = KeyName(name), let address = ListenAddress(text: listen) else { return }
    // Who cannot listen leaves nothing on the disk.
    try address.probe()
    let hasKey = FileManager.default.fileExists(atPath: key)
    guard hasKey || createKey else {
      throw CommandFailure(.missingInput, "\(key) is not there: give --create-key to have it made")
    }
    // The directory first: killed between the two, the next start finds one that has said nothing, and makes the key.
    let state = try WitnessState(FilePath(state), isMade: createState || !hasKey)
    guard try hasKey || state.records().isEmpty else {
      throw CommandFailure(.missingInput, "\(key) is not there, and its witness has cosigned already: put it back")
    }
    if !hasKey { try NewFile.create(key, Array(AuditKey().pem.utf8), mode: .ownerReadWrite) }
    let cosigner = Cosigner(name: name, key: try CheckpointFile.key(key))
    let desk = try WitnessDesk(
      cosigner, logs: verifierKeys, state: state, logger: logger, unixSeconds: { Self.now },
      onFatal: { error in
        logger.critical(
          "what was cosigned cannot be kept, nothing is cosigned any more: \(error)",
          metadata: ["exitCode": "\(ExitStatus.journalFailed.rawValue)"])
        _exit(ExitStatus.journalFailed.rawValue)
      })
    var settings = HTTPSettings(host: address.host, port: address.port)
    if let tlsCertificate, let tlsKey {
      settings.tls = TLSFiles(certificateChainPath: tlsCertificate, privateKeyPath: tlsKey)
    }
    try await run(try WitnessServer(desk: desk, settings: settings, logger: logger), cosigner, address, logger)
  }

  private func run(
    _ server: WitnessServer, _ cosigner: Cosigner, _ address: ListenAddress, _ logger: Logger
  ) async throws {
    var quiet = logger
    quiet.logLevel = .warning
    let certificates = CertificateWatch([("witness", { [server] in server.certificate })], logger: logger)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [
          .init(service: certificates, successTerminationBehavior: .ignore),
          .init(service: ListeningService(server: server, address: address)),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
    async let announcement: Void = announce(server, cosigner, address)
    try await group.run()
    await announcement
  }

  /// What others need to know of it, on standard output.
  private func announce(_ server: WitnessServer, _ cosigner: Cosigner, _ address: ListenAddress) async {
    // That it cannot listen ends the group with an error of its own.
    guard let bound = try? await server.boundAddress else { return }
    let host = bound.ipAddress ?? address.host
    let place = ListenAddress(host: host, port: bound.port ?? address.port)
    let url = "\(tlsKey == nil ? "http" : "https")://\(place)"
    Console.print("key     \(cosigner.verifierKey.text)")
    Console.print("url     \(url)")
    Console.print("policy  witness \(cosigner.verifierKey.name) \(cosigner.verifierKey.text) \(url)")
  }

  /// The keys of the logs that are witnessed.
  private func verifierKeys() throws(CommandFailure) -> [VerifierKey] {
    var keys: [VerifierKey] = []
    for text in logs {
      do throws(VerifierKeyFlaw) { keys.append(try VerifierKey(text: text)) } catch {
        throw CommandFailure(.usage, "--log \(text): \(error)")
      }
    }
    guard keys.allSatisfy({ $0.kind == .note }) else {
      throw CommandFailure(.usage, "--log names a witness's key: a log's has kind 1")
    }
    if let policy { keys += try EvidenceFile.policy(policy).logs.map(\.key) }
    return keys
  }

  private static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
}
