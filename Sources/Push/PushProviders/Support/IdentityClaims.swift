internal import EventSourcing
internal import JSONEnvelope
internal import JWTKit
import TextEncoding

/// The token in which the customer's backend vouches for a user. Spec: support requests 2; RFC 7515, 7519.
///
/// `exp` and `nbf` say nothing that `iat` does not: it is held to the same few minutes.
enum IdentityClaims {
  /// Why a token is not to be believed: a few words without its content.
  struct Flaw: Error, Equatable {
    let reason: String
    init(_ reason: String) { self.reason = "jwt: \(reason)" }
  }

  static func read(
    _ jwt: String, signedBy key: any JWTAlgorithm, limits: IdentityLimits, now: Timestamp
  ) throws(Flaw) -> VerifiedIdentity {
    guard jwt.utf8.count <= limits.jwtBytesMaximum else { throw Flaw("too long") }
    let claims = try verifiedClaims(jwt, key)
    let jti = try text("jti", claims, limits.jtiBytesMaximum)
    let issuedAt = try issuedAt(claims, limits, now)
    let name = try text("name", claims, limits.nameBytesMaximum)
    let email = try text("email", claims, limits.emailBytesMaximum)
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }) else {
      throw Flaw("email is no address")
    }
    return VerifiedIdentity(
      jti: jti, issuedAt: issuedAt, name: name, email: email,
      externalID: try externalID(claims, limits.externalIDBytesMaximum))
  }

  /// The header names the algorithm, but it is not the header's to choose.
  private static func verifiedClaims(_ jwt: String, _ key: any JWTAlgorithm) throws(Flaw) -> JSONObject {
    let parts = jwt.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = object(parts[0]), let signature = Base64.decode(parts[2]) else {
      throw Flaw("malformed")
    }
    guard header["alg"]?.string == key.name else { throw Flaw("algorithm is not \(key.name)") }
    // Spec: RFC 7515, 4.1.11.
    guard header["crit"] == nil else { throw Flaw("critical header") }
    guard (try? key.verify(signature, signs: Array("\(parts[0]).\(parts[1])".utf8))) == true else {
      throw Flaw("wrong signature")
    }
    guard let claims = object(parts[1]) else { throw Flaw("malformed") }
    return claims
  }

  private static func object(_ part: Substring) -> JSONObject? {
    guard let bytes = Base64.decode(part) else { return nil }
    return (try? JSONValue(parsing: bytes))?.object
  }

  private static func text(_ name: String, _ claims: JSONObject, _ bytesMaximum: Int) throws(Flaw) -> String {
    guard let claim = claims[name], !claim.isNull else { throw Flaw("\(name) is missing") }
    guard let text = claim.string else { throw Flaw("\(name) is no string") }
    return try checked(text, name, bytesMaximum)
  }

  private static func checked(_ text: String, _ name: String, _ bytesMaximum: Int) throws(Flaw) -> String {
    guard text.contains(where: { !$0.isWhitespace }) else { throw Flaw("\(name) is empty") }
    guard text.utf8.count <= bytesMaximum else { throw Flaw("\(name) is too long") }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw Flaw("\(name) has control characters")
    }
    return text
  }

  private static func issuedAt(_ claims: JSONObject, _ limits: IdentityLimits, _ now: Timestamp) throws(Flaw)
    -> Timestamp
  {
    guard let claim = claims["iat"], !claim.isNull else { throw Flaw("iat is missing") }
    guard let seconds = claim.double else { throw Flaw("iat is no number") }
    guard let milliseconds = Int64(exactly: (seconds * 1_000).rounded()) else { throw Flaw("iat is out of range") }
    let issuedAt = Timestamp(milliseconds: milliseconds)
    guard issuedAt.advanced(by: limits.ageMaximum) >= now else { throw Flaw("iat is too long ago") }
    guard now.advanced(by: limits.ageMaximum) >= issuedAt else { throw Flaw("iat is in the future") }
    return issuedAt
  }

  /// Templates of backends write an empty one for a user who has none.
  private static func externalID(_ claims: JSONObject, _ bytesMaximum: Int) throws(Flaw) -> String? {
    switch claims["external_id"] {
    case nil, .null, .string(""): return nil
    case .string(let text): return try checked(text, "external_id", bytesMaximum)
    case .integer(let number): return String(number)
    case .digits(let digits): return try checked(digits, "external_id", bytesMaximum)
    default: throw Flaw("external_id is neither string nor whole number")
    }
  }
}
