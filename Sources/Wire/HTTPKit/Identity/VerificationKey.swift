package import JWTKit

/// A key that tokens are verified with. It belongs to one algorithm, whatever a token's header says: else anybody could
/// take a public key for the secret of a MAC.
package struct VerificationKey: Sendable {
  /// Spec: RFC 7518, 3.1; RFC 8037, 3.1.
  package enum Algorithm: String, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    /// With Ed25519.
    case edDSA = "EdDSA"
  }

  /// What it is made of.
  package enum Material: Sendable {
    case secret([UInt8])
    case rsa(Insecure.RSA.PublicKey)
    case p256(ES256PublicKey)
    case ed25519(EdDSA.PublicKey)

    package var algorithm: Algorithm {
      switch self {
      case .secret: .hs256
      case .rsa: .rs256
      case .p256: .es256
      case .ed25519: .edDSA
      }
    }
  }

  /// `kid`; nil for a key that came without a name: it is tried for any.
  package let id: String?
  package let algorithm: Algorithm
  private let verifier: any JWTAlgorithm

  /// Nil if the material cannot be used after all.
  package init?(id: String?, _ material: Material) async {
    let keys = JWTKeyCollection()
    switch material {
    case .secret(let bytes): await keys.add(hmac: HMACKey(from: bytes), digestAlgorithm: .sha256)
    case .rsa(let key): await keys.add(rsa: key, digestAlgorithm: .sha256)
    case .p256(let key): await keys.add(ecdsa: key)
    case .ed25519(let key): await keys.add(eddsa: key)
    }
    guard let verifier = try? await keys.getKey() else { return nil }
    self.id = id
    algorithm = material.algorithm
    self.verifier = verifier
  }

  package func verifies(_ signature: [UInt8], of text: [UInt8]) -> Bool {
    (try? verifier.verify(signature, signs: text)) == true
  }
}
