import CryptoExtras
import JSONEnvelope
import TextEncoding

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
    let keyID = Hexadecimal.encode((0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    let base = server.hasSuffix("/") ? String(server.dropLast()) : server
    // A name may be anything, an address may not; the key's id keeps it unique.
    let user = String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(30))
    account = ServiceAccount(
      email: "\(user.isEmpty ? "sender" : user)-\(keyID.prefix(8))@\(projectID).iam.gserviceaccount.com",
      tokenURI: base + "/token", publicKey: key.publicKey.pemRepresentation)
    file =
      JSONWriter.object { [account] file in
        file.member("type", "service_account")
        file.member("project_id", projectID)
        file.member("private_key_id", keyID)
        file.member("private_key", key.pkcs8PEMRepresentation)
        file.member("client_email", account.email)
        file.member("client_id", keyID)
        file.member("auth_uri", base + "/auth")
        file.member("token_uri", account.tokenURI)
      } + [UInt8(ascii: "\n")]
  }
}
