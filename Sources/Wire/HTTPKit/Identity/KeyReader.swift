import JSONEnvelope
import JWTKit
import TextEncoding

/// Reads keys from PEM and from JSON Web Key Sets. Spec: RFC 7468; RFC 7517; RFC 7518, 6; RFC 8037, 2.
package enum KeyReader {
  package typealias Key = (id: String?, material: VerificationKey.Material)

  /// Why keys cannot be used, in a few words without any of them.
  package struct Problem: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
  }

  // MARK: A shared secret

  package static func secret(_ text: String) throws(Problem) -> Key { (nil, try material(secret: Array(text.utf8))) }

  private static func material(secret bytes: [UInt8]) throws(Problem) -> VerificationKey.Material {
    if let reason = SharedSecret.objection(to: bytes) { throw Problem(reason) }
    return .secret(bytes)
  }

  // MARK: PEM

  /// All keys and certificates of a file.
  package static func keys(pem text: String) throws(Problem) -> [Key] {
    var keys: [Key] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "-----BEGIN ") {
      guard let labelEnd = rest[start.upperBound...].firstRange(of: "-----") else { throw Problem("no PEM") }
      let label = rest[start.upperBound..<labelEnd.lowerBound]
      guard let end = rest[labelEnd.upperBound...].firstRange(of: "-----END \(label)-----") else {
        throw Problem("a PEM block has no end")
      }
      guard keys.count < EdgeLimits.verificationKeysMaximum else { throw Problem("too many keys") }
      keys.append((nil, try material(pem: String(rest[start.lowerBound..<end.upperBound]), label: label)))
      rest = rest[end.upperBound...]
    }
    guard !keys.isEmpty else { throw Problem("no PEM block is in it") }
    return keys
  }

  private static func material(pem: String, label: Substring) throws(Problem) -> VerificationKey.Material {
    switch label {
    case "PUBLIC KEY", "RSA PUBLIC KEY":
      if let key = try? Insecure.RSA.PublicKey(pem: pem) { return .rsa(key) }
      if let key = try? ES256PublicKey(pem: pem) { return .p256(key) }
      if let key = try? EdDSA.PublicKey(pem: pem) { return .ed25519(key) }
    case "CERTIFICATE":
      if let key = try? Insecure.RSA.PublicKey(certificatePEM: pem) { return .rsa(key) }
      if let key = try? ES256PublicKey(certificate: pem) { return .p256(key) }
    case _ where label.hasSuffix("PRIVATE KEY"):
      throw Problem("a private key is in it: this server needs the public one only")
    default: throw Problem("it holds neither public keys nor certificates")
    }
    throw Problem("a key is neither RSA of 2048 bits or more nor ECDSA on P-256 nor Ed25519")
  }

  // MARK: Key sets

  /// The keys of a set that can be used here; those for other algorithms and for encryption are passed over.
  /// - Parameter takesSecrets: whether it comes from where secrets may be: a file, not a URL.
  package static func keys(set bytes: [UInt8], takesSecrets: Bool) throws(Problem) -> [Key] {
    guard bytes.count <= EdgeLimits.keySetBytesMaximum else { throw Problem("it is too long") }
    guard let set = (try? JSONValue(parsing: bytes))?["keys"]?.array else { throw Problem("it is no JSON Web Key Set") }
    guard set.count <= EdgeLimits.verificationKeysMaximum else { throw Problem("it has too many keys") }
    var keys: [Key] = []
    for key in set {
      guard key["d"]?.isNull ?? true else { throw Problem("a private key is in it: whoever can read it can sign") }
      if let material = try material(jwk: key, takesSecrets) { keys.append((key["kid"]?.string, material)) }
    }
    guard !keys.isEmpty else { throw Problem("it has no key for RS256, ES256, EdDSA or HS256") }
    return keys
  }

  private static func material(jwk: JSONValue, _ takesSecrets: Bool) throws(Problem) -> VerificationKey.Material? {
    if let use = jwk["use"]?.string, use != "sig" { return nil }
    if let operations = jwk["key_ops"]?.array, !operations.contains("verify") { return nil }
    let algorithm = jwk["alg"]?.string
    switch jwk["kty"]?.string {
    case "RSA" where algorithm ?? "RS256" == "RS256":
      guard let modulus = jwk["n"]?.string, let exponent = jwk["e"]?.string,
        let key = try? Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
      else { throw Problem("a key is no RSA key of 2048 bits or more") }
      return .rsa(key)
    case "EC" where jwk["crv"]?.string == "P-256" && algorithm ?? "ES256" == "ES256":
      guard let x = jwk["x"]?.string, let y = jwk["y"]?.string,
        let key = try? ES256PublicKey(parameters: (x: x, y: y))
      else { throw Problem("a key is no point on P-256") }
      return .p256(key)
    case "OKP" where jwk["crv"]?.string == "Ed25519" && algorithm ?? "EdDSA" == "EdDSA":
      guard let x = jwk["x"]?.string, let key = try? EdDSA.PublicKey(x: x, curve: .ed25519) else {
        throw Problem("a key is no point on Ed25519")
      }
      return .ed25519(key)
    case "oct" where algorithm ?? "HS256" == "HS256":
      guard takesSecrets else { throw Problem("a shared secret is in it, for everybody to read") }
      guard let bytes = jwk["k"]?.string.flatMap({ Base64.decode($0) }) else { throw Problem("a secret is no Base64") }
      return try material(secret: bytes)
    default: return nil
    }
  }
}
