import CryptoExtras
import JSONEnvelope

/// A new service account: the key file for the app server, and what the server keeps of it. Spec: GCM E2.
public struct ServiceAccountKey: Sendable {
  /// Goes into the `SenderGrant`.
  public let account: ServiceAccount
  /// The key file, as Google's client libraries read it. Secret.
  public let file: [UInt8]

  /// - Parameters:
  ///   - name: of the token.
  ///   - server: the URL of this server, as the app server reaches it: its `/token` is the audience of the grants.
  /// - Throws: if no key can be made.
  public init(name: String, projectID: String, server: String) throws {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    var generator = SystemRandomNumberGenerator()
    let keyID = AccessToken.hexadecimal((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    let base = server.hasSuffix("/") ? String(server.dropLast()) : server
    // A name may be anything, an address may not; the key's id keeps it unique.
    let user = String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(30))
    account = ServiceAccount(
      email: "\(user.isEmpty ? "sender" : user)-\(keyID.prefix(8))@\(projectID).iam.gserviceaccount.com",
      tokenURI: base + "/token", publicKey: key.publicKey.pemRepresentation)
    var object = JSONObject()
    object["type"] = "service_account"
    object["project_id"] = .string(projectID)
    object["private_key_id"] = .string(keyID)
    object["private_key"] = .string(key.pkcs8PEMRepresentation)
    object["client_email"] = .string(account.email)
    object["client_id"] = .string(keyID)
    object["auth_uri"] = .string(base + "/auth")
    object["token_uri"] = .string(account.tokenURI)
    file = JSONValue.object(object).text + [UInt8(ascii: "\n")]
  }
}
