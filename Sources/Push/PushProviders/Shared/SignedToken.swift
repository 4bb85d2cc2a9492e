internal import JSONEnvelope
internal import JWTKit

/// A JSON Web Token with just the members that the receiver asks for, in a fixed order. Spec: RFC 7515, 7518.
enum SignedToken {
  /// What can sign: made once for each key.
  static func signer(_ key: ES256PrivateKey) async throws -> any JWTAlgorithm {
    try await JWTKeyCollection().add(ecdsa: key).getKey()
  }

  static func signer(_ key: Insecure.RSA.PrivateKey) async throws -> any JWTAlgorithm {
    try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).getKey()
  }

  /// HS256 with a shared secret.
  /// - Precondition: it has at least 32 bytes: JWTKit takes no shorter ones.
  static func signer(_ secret: String) async throws -> any JWTAlgorithm {
    try await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256).getKey()
  }

  /// `b64url(header).b64url(claims).b64url(signature)`.
  static func text(header: JSONObject, claims: JSONObject, signer: any JWTAlgorithm) throws -> String {
    let parts = [header, claims].map { PushText.base64URL(JSONValue.object($0).text) }
    let signed = parts.joined(separator: ".")
    return try signed + "." + PushText.base64URL(signer.sign(Array(signed.utf8)))
  }
}
