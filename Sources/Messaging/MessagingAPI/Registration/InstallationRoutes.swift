import Crypto
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine
import TextEncoding

/// The web registration of Firebase: what is sent to such a token is encrypted on the way out. Spec: GCM D4.
///
/// Installations are nothing but names here, and their tokens open nothing: they are random, nobody keeps them, and
/// whether one comes back is not looked at. What a device may do it may by its identity (`AidLogin`), and whose keys a
/// registration gets says whoever holds its token.
struct InstallationRoutes {
  let installations: InstallationService
  let tokens: TokenStore

  // MARK: Installations

  func create(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try JSONBody(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    let fid = try body.optionalText("fid") ?? ""
    guard fid.utf8.count <= EdgeLimits.registrationFieldBytesMaximum else {
      throw EdgeFailure.badParameter("fid", "is too long")
    }
    return Self.installation(
      fid.isEmpty ? Self.installationID() : fid, project: try context.parameters.require("project"))
  }

  static var ended: Response { .object { _ in } }

  static var authToken: Response { .object { writeAuthToken(into: &$0) } }

  private static func installation(_ fid: String, project: String) -> Response {
    .object { installation in
      installation.member("name", "projects/\(project)/installations/\(fid)")
      installation.member("fid", fid)
      installation.member("refreshToken", randomText(bytes: 32))
      installation.object("authToken") { writeAuthToken(into: &$0) }
    }
  }

  private static func writeAuthToken(into object: inout JSONObjectWriter) {
    object.member("token", randomText(bytes: 32))
    object.member("expiresIn", "\(EdgeLimits.installationTokenLife)s")
  }

  /// 17 bytes that begin with 0111: 22 characters, the last of which says nothing.
  private static func installationID() -> String {
    var bytes = randomBytes(17)
    bytes[0] = 0b0111_0000 | bytes[0] & 0b1111
    return String(Base64.encodeForURL(bytes).prefix(22))
  }

  private static func randomText(bytes count: Int) -> String { Base64.encodeForURL(randomBytes(count)) }

  private static func randomBytes(_ count: Int) -> [UInt8] {
    SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes(Array.init)
  }

  // MARK: Registrations

  func register(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let project = try context.parameters.require("project")
    let body = try JSONBody(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    guard let web = try body.optionalObject("web") else { throw EdgeFailure.missingParameter("web") }
    let keys = try WebPushKeys(publicKey: web["p256dh"]?.string, secret: web["auth"]?.string)
    // Whoever sends to this project has the key of its sender.
    let token = try await installations.setWebKeys(
      keys, of: try Self.registrationToken(web["endpoint"]?.string),
      authorizedEntity: tokens.sender(ofProject: project) ?? project)
    return .object { registration in
      registration.member("name", "projects/\(project)/registrations/\(token)")
      registration.member("token", token)
      registration.member("web", web)
    }
  }

  func connect(_ request: Request) async throws -> Response {
    var form = RequestParameters()
    try form.addForm(try await request.bytes(upTo: EdgeLimits.deviceBodyBytesMaximum))
    let keys = try WebPushKeys(publicKey: form["encryption_key"], secret: form["encryption_auth"])
    let entity = form.first(of: "authorized_entity")
    guard entity.map({ $0.utf8.count <= EdgeLimits.senderBytesMaximum }) ?? true else {
      throw EdgeFailure.badParameter("authorized_entity", "is too long")
    }
    let token = try await installations.setWebKeys(
      keys, of: try Self.registrationToken(form["endpoint"]), authorizedEntity: entity)
    return .object { answer in
      answer.member("token", token)
      answer.member("pushSet", Self.randomText(bytes: 8))
    }
  }

  /// An endpoint ends with the token that it stands for. Spec: GCM D4.2.
  private static func registrationToken(_ endpoint: String?) throws(EdgeFailure) -> String {
    guard let token = endpoint?.split(separator: "/").last.flatMap({ PathText.decode($0) }),
      RegistrationTokenForm.isPlausible(token)
    else { throw .badParameter("endpoint", "does not end with a registration token") }
    return token
  }
}

extension WebPushKeys {
  /// The keys in Base64, of either alphabet, with padding or without.
  /// - Throws: if one is missing or does not have the length that it must have.
  fileprivate init(publicKey: String?, secret: String?) throws(EdgeFailure) {
    // A point that is not on the curve would be found out at every message.
    guard let point = publicKey.flatMap({ Base64.decode($0) }),
      (try? P256.KeyAgreement.PublicKey(x963Representation: point)) != nil
    else { throw .badParameter("p256dh", "is not an uncompressed P-256 point in Base64") }
    guard let secret = secret.flatMap({ Base64.decode($0) }), secret.count == 16 else {
      throw .badParameter("auth", "is not 16 bytes in Base64")
    }
    self.init(publicKey: point, authenticationSecret: secret)
  }
}
