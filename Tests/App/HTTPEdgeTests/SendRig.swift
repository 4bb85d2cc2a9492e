import Engine
import JSONEnvelope
import PushDomain
import Synchronization

@testable import HTTPEdge

/// A server with a sender, a device, and its token.
struct SendRig {
  static let sender = "1234567890"
  static let app = "com.example.shop"

  let server: ServerHarness
  /// The API key.
  let key: String
  let device: InstallationCredentials
  /// The registration token.
  let token: String

  static func run(
    limits: EdgeLimits = ServerHarness.patientLimits, isTest: Bool = false, allowedAddresses: [String] = [],
    _ body: (SendRig) async throws -> Void
  ) async throws {
    try await ServerHarness.run(limits: limits) { server in
      let key = try await server.senderKey(
        "shop", SenderGrant(sender: sender, isTest: isTest, allowedAddresses: allowedAddresses))
      let installations = server.engine.installations
      let device = try await installations.checkIn(nil)
      let token = try await installations.register(form(), device)
      try await body(SendRig(server: server, key: key, device: device, token: token))
    }
  }

  static func form(app: String = app, sender: String = sender) -> RegistrationForm {
    RegistrationForm(app: app, senders: [sender], platform: "ANDROID")
  }

  /// - Parameter authorization: nil for the rig's own key; an empty text for no header.
  func send(
    _ body: String, path: String = "/gcm/send", type: String = "application/json", authorization: String? = nil
  ) async throws -> RawClient.Response {
    let authorization = authorization ?? "key=\(key)"
    var headers = authorization.isEmpty ? "" : "Authorization: \(authorization)\r\n"
    if !type.isEmpty { headers += "Content-Type: \(type)\r\n" }
    let client = try await server.connect()
    try await client.post(path, body, headers: headers)
    let response = try await client.response()
    await client.close()
    return response
  }

  /// Logs the device in; what it gets is in the box.
  func connect() async throws -> MailBox {
    let box = MailBox()
    try await server.engine.deviceGateway.logIn(device, received: [], link: box)
    server.engine.deviceGateway.drain(device.id, link: box)
    return box
  }
}

/// The connection of a device in the test's hands.
final class MailBox: MailLink {
  private let stream: AsyncStream<Mail>
  private let continuation: AsyncStream<Mail>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func deliver(_ mail: Mail) { continuation.yield(mail) }

  func close(_ reason: MailLinkClosing) { continuation.finish() }

  /// The next message; the suite's time limit ends what never comes.
  func next() async -> Mail? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}

extension RawClient.Response {
  var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
}
