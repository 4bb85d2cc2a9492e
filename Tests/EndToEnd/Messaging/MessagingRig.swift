import Foundation
import JSONEnvelope
import ProcessControl
import Synchronization
import Testing

/// A server with all its doors open, the key of an app server, and the clients that a test starts.
final class MessagingRig: Sendable {
  static let sender = "1234567890"
  static let upstreamAddress = JSONValue.string("\(sender)@gcm.googleapis.com")

  let server: ServerProcess
  /// The authority of its certificate; nil: nothing is encrypted.
  let authority: String?
  let mcs: String
  let ccs: String
  /// Of ``sender``; its project is called as the sender is.
  let key: String
  let serviceAccount: String
  private let scripts = Mutex<[ScriptProcess]>([])

  /// Starts a server, hands it to `body` and ends it with all scripts. What these wrote to their standard error is told
  /// if `body` fails.
  static func run(
    isSecured: Bool = true, isTestSender: Bool = false, _ body: (MessagingRig) async throws -> Void
  ) async throws {
    try await ServerProcess.run(agents: [], starts: false) { server in
      let rig = try await MessagingRig(server, isSecured: isSecured, isTestSender: isTestSender)
      do {
        try await body(rig)
      } catch {
        await rig.endScripts()
        for script in rig.scripts.withLock({ $0 }) where !script.errors.isEmpty {
          Issue.record("\(script.name) wrote:\n\(script.errors.suffix(2_000))")
        }
        throw error
      }
      await rig.endScripts()
    }
  }

  private init(_ server: ServerProcess, isSecured: Bool, isTestSender: Bool) async throws {
    self.server = server
    var options = ["gcm.mcs_port": "0", "gcm.ccs_port": "0", "gcm.mcs_host": "localhost"]
    if isSecured { options.merge(try await Self.certificate(in: server.directory)) { $1 } }
    try server.configure(["server": options])
    try await server.start()
    for (option, message) in [("gcm.mcs_port", "listening for devices"), ("gcm.ccs_port", "listening for app servers")]
    {
      options[option] = try await server.logLine { $0["message"] == message }["port"]
    }
    // Its next start takes the same ones: clients know no others.
    try server.configure(["server": options])
    authority = isSecured ? server.directory + "/authority.pem" : nil
    mcs = "localhost:\(options["gcm.mcs_port"] ?? "")"
    ccs = "localhost:\(options["gcm.ccs_port"] ?? "")"
    serviceAccount = server.directory + "/service-account.json"
    key = try await server.makeToken(
      "shop",
      [
        "--role", "sender", "--sender", Self.sender, "--service-account", serviceAccount, "--server",
        "\(isSecured ? "https" : "http")://localhost:\(server.port)",
      ] + (isTestSender ? ["--test-mode"] : []))
  }

  /// Makes an authority and a certificate of its; the options that name them.
  private static func certificate(in directory: String) async throws -> [String: String] {
    let maker = try ChildProcess.start(
      try ScriptProcess.python(), [ScriptProcess.path("Scripts/gcm_certificate.py"), directory],
      log: directory + "/certificate.txt")
    guard try await maker.status() == 0 else { throw EndToEndFailure("no certificate was made") }
    return ["tls.certificate": directory + "/server.pem", "tls.key": directory + "/server.key"]
  }

  private func endScripts() async {
    for script in scripts.withLock({ $0 }) { await script.end() }
  }

  // MARK: Clients

  var url: String { "\(authority == nil ? "http" : "https")://localhost:\(server.port)" }

  private var trust: [String] { authority.map { ["--ca", $0] } ?? [] }

  func script(_ path: String, _ arguments: [String]) throws -> ScriptProcess {
    let script = try ScriptProcess(path, arguments + trust, directory: server.directory)
    scripts.withLock { $0.append(script) }
    return script
  }

  /// An app server that speaks HTTP; ready.
  func appServer(_ name: String, _ arguments: [String]) async throws -> ScriptProcess {
    let script = try script("Scripts/gcm_send_\(name).py", ["--server", url] + arguments)
    _ = try await script.event("ready")
    return script
  }

  func pythonGCM() async throws -> ScriptProcess { try await appServer("python_gcm", ["--key", key]) }

  /// An app server on aiofcm; it logs in with its first message.
  func aiofcm() async throws -> ScriptProcess {
    let script = try script(
      "Scripts/gcm_send_aiofcm.py", ["--ccs", ccs, "--sender", Self.sender, "--key", key])
    _ = try await script.event("ready")
    return script
  }

  /// An app server on slixmpp. What waits for it may come before it says that it is online.
  func slixmpp(key: String? = nil, _ arguments: [String] = []) throws -> ScriptProcess {
    try script(
      "Scripts/gcm_ccs_slixmpp.py", ["--ccs", ccs, "--sender", Self.sender, "--key", key ?? self.key] + arguments)
  }

  /// A device; the same one as before if the name is.
  func device(_ kind: MessagingDevice.Kind, _ name: String, _ arguments: [String] = []) async throws -> MessagingDevice
  {
    var arguments = arguments
    // A page's registration belongs to a project, which is called as the sender is.
    if kind == .firebaseMessaging { arguments += ["--project", Self.sender] }
    let script = try script(
      "Scripts/gcm_device_\(kind.rawValue).py",
      ["--server", url, "--mcs", mcs, "--credentials", "\(server.directory)/\(name).json", "--sender", Self.sender]
        + arguments)
    guard let token = try await script.event("token").string else { throw EndToEndFailure("\(name) has no token") }
    return MessagingDevice(token: token, script: script)
  }

  /// A device of our own making that is connected.
  func connectedDevice(_ name: String, _ arguments: [String] = []) async throws -> MessagingDevice {
    let device = try await device(.mcs, name, arguments)
    _ = try await device.script.event("login")
    return device
  }
}

struct MessagingDevice: Sendable {
  enum Kind: String {
    case firebaseMessaging = "firebase_messaging"
    case pushReceiver = "push_receiver"
    case mcs
  }

  let token: String
  let script: ScriptProcess

  var target: JSONValue { .string(token) }

  /// What the library made of the next message.
  func notification() async throws -> JSONValue { try await script.event("notification") }

  /// The next message as it stands on the wire.
  func message() async throws -> JSONValue { try await script.event("message") }

  /// Sends upstream and waits until the server has taken it.
  func sendUpstream(_ id: String, _ data: JSONValue) async throws {
    try script.send(["do": "send", "to": MessagingRig.upstreamAddress, "id": .string(id), "data": data])
    var answer = JSONValue.null
    repeat {
      // Any stanza of the server's says how far it is.
      try script.send(["do": "ping"])
      answer = try await script.first { $0["taken"] != nil || $0["pong"] != nil }
    } while answer["taken"] != [.string(id)]
  }
}
