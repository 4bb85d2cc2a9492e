import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine

/// Check-in and registration for clients of our own: JSON, and the statuses that it usually has.
///
/// All but the check-in are for a device that shows who it is: `Authorization: AidLogin <id>:<securityToken>`. Both
/// numbers are decimal texts: they do not fit into what JavaScript has for numbers. Connections: `DEVICE-SOCKET.md`.
struct DeviceFormRoutes {
  let installations: InstallationService
  let settings: MessagingEdgeSettings

  private static let platforms = ["ANDROID", "IOS", "CHROME"]

  func register(_ device: InstallationCredentials, _ request: Request) async throws -> Response {
    let form = try Self.form(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    let token = try await installations.register(form, device)
    return .object { $0.member("token", token) }
  }

  func unregister(_ device: InstallationCredentials, _ request: Request) async throws -> Response {
    let query = try request.queryParameters()
    guard let app = query.first(of: "app") else { throw EdgeFailure.missingParameter("app") }
    let senders = try Self.senders(query.first(of: "sender") ?? "")
    try await installations.unregister(
      app: app, subtype: query.first(of: "subtype"), instanceID: query.first(of: "instanceId"), senders: senders, device
    )
    return Response(status: .noContent)
  }

  func subscribe(_ device: InstallationCredentials, _ request: Request) async throws -> Response {
    let body = try JSONBody(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    let (token, topic) = try Self.subscription(try body.text("token"), try body.text("topic"))
    try await installations.subscribe(token, to: topic, on: true, device)
    return Response(status: .noContent)
  }

  func unsubscribe(_ device: InstallationCredentials, _ request: Request) async throws -> Response {
    let query = try request.queryParameters()
    let (token, topic) = try Self.subscription(query["token"] ?? "", query["topic"] ?? "")
    try await installations.subscribe(token, to: topic, on: false, device)
    return Response(status: .noContent)
  }

  // MARK: Check-in

  func checkIn(_ request: Request) async throws -> Response {
    let credentials = try await installations.checkIn(try await Self.known(request))
    return .object { identity in
      identity.member("id", "\(credentials.id.androidID)")
      identity.member("securityToken", "\(credentials.securityToken)")
      identity.member("socket", DeviceGateway.socketPath)
      identity.member("checkInSeconds", Int(settings.checkInInterval.components.seconds))
      guard let host = settings.deviceHost else { return }
      identity.member("host", host)
      identity.member("port", settings.devicePort)
    }
  }

  /// Nil for a device without an identity.
  private static func known(_ request: Request) async throws -> InstallationCredentials? {
    let body = try JSONBody(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    guard let id = try body.optionalText("id") else { return nil }
    guard let id = InstallationCredentials.number(id) else { throw EdgeFailure.badParameter("id", "is not decimal") }
    guard let securityToken = InstallationCredentials.number(try body.text("securityToken")) else {
      throw EdgeFailure.badParameter("securityToken", "is not decimal")
    }
    return InstallationCredentials(id: InstallationID(id), securityToken: securityToken)
  }

  // MARK: Forms

  private static func form(_ bytes: [UInt8]) throws(EdgeFailure) -> RegistrationForm {
    let body = try JSONBody(bytes)
    let names = try body.optionalTexts("senders") ?? []
    let platform = try body.optionalText("platform") ?? "ANDROID"
    guard platforms.contains(platform) else {
      throw .badParameter("platform", "is not one of \(platforms.joined(separator: ", "))")
    }
    var form = RegistrationForm(
      app: try bounded("app", try body.text("app")), senders: try senders(names.joined(separator: ",")),
      subtype: try optional("subtype", in: body), instanceID: try optional("instanceId", in: body), platform: platform)
    guard !form.senders.isEmpty else { throw .missingParameter("senders") }
    form.appVersion = try optional("appVersion", in: body)
    return form
  }

  private static func optional(_ name: String, in body: JSONBody) throws(EdgeFailure) -> String? {
    guard let text = try body.optionalText(name) else { return nil }
    return try bounded(name, text)
  }

  private static func bounded(_ name: String, _ text: String) throws(EdgeFailure) -> String {
    let limit = EdgeLimits.registrationFieldBytesMaximum
    guard text.utf8.count <= limit else { throw .badParameter(name, "is longer than \(limit) bytes") }
    return text
  }

  private static func senders(_ list: String) throws(EdgeFailure) -> [String] {
    do { return try RegisterRequest.senders(list) } catch { throw EdgeFailure(.invalidSender) }
  }

  private static func subscription(
    _ token: String, _ topic: String
  ) throws(EdgeFailure) -> (token: String, topic: String) {
    guard RegistrationTokenForm.isPlausible(token) else { throw .badParameter("token", "is not a registration token") }
    let name = TopicName.named(by: topic) ?? topic
    guard TopicName.isValid(name) else { throw .badParameter("topic", "is not the name of a topic") }
    return (token, name)
  }
}
