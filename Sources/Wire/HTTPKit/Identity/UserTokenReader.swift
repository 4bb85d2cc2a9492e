package import EventSourcing
import JSONEnvelope
import TextEncoding

/// Reads a token and judges everything about it but its revocation. Spec: RFC 7515, 5.2; RFC 7519, 7.2; RFC 8725.
package struct UserTokenReader: Sendable {
  package let policy: TokenPolicy
  package let limits: EdgeLimits

  package init(policy: TokenPolicy, limits: EdgeLimits) {
    self.policy = policy
    self.limits = limits
  }

  package func user(of token: String, keys: [VerificationKey], now: Timestamp) throws(TokenFlaw) -> ProvenUser {
    guard token.utf8.count <= EdgeLimits.userTokenBytesMaximum else { throw .tooLong }
    guard let claims = Self.object(try signed(token, keys)) else { throw .malformed }
    let (issuedAt, expiresAt) = try times(claims, now)
    if let issuer = policy.issuer, claims["iss"]?.string != issuer { throw .issuer }
    if let audience = policy.audience {
      let named = claims["aud"]?.array?.compactMap(\.string) ?? claims["aud"]?.string.map { [$0] } ?? []
      guard named.contains(audience) else { throw .audience }
    }
    return ProvenUser(key: try userKey(claims), issuedAt: issuedAt, expiresAt: expiresAt)
  }

  /// - Returns: the part with the claims, once one of the keys has verified it.
  private func signed(_ token: String, _ keys: [VerificationKey]) throws(TokenFlaw) -> Substring {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let name = header["alg"]?.string,
      let signature = Base64.decode(parts[2])
    else { throw .malformed }
    guard name.lowercased() != "none", !signature.isEmpty else { throw .unsigned }
    guard header["crit"] == nil else { throw .criticalHeader }
    guard !keys.isEmpty else { throw .noKeys }
    // The header chooses among our keys; what each of them is for is not its to say.
    let fitting = keys.filter { $0.algorithm.rawValue == name }
    guard !fitting.isEmpty else { throw .algorithm }
    let candidates: [VerificationKey]
    if let id = header["kid"]?.string {
      let named = fitting.filter { $0.id == id }
      candidates = named.isEmpty ? fitting.filter { $0.id == nil } : named
      guard !candidates.isEmpty else { throw .unknownKey }
    } else {
      candidates = fitting
    }
    let text = Array("\(parts[0]).\(parts[1])".utf8)
    guard candidates.contains(where: { $0.verifies(signature, of: text) }) else { throw .signature }
    return parts[1]
  }

  private static func object(_ part: Substring) -> JSONObject? {
    guard let bytes = Base64.decode(part) else { return nil }
    return (try? JSONValue(parsing: bytes))?.object
  }

  // MARK: Claims

  private func times(
    _ claims: JSONObject, _ now: Timestamp
  ) throws(TokenFlaw) -> (issuedAt: Timestamp?, expiresAt: Timestamp) {
    guard let expiresAt = try Self.time("exp", claims) else { throw .endless }
    if expiresAt.advanced(by: policy.clockSkew) <= now { throw .expired(Self.seconds(from: expiresAt, to: now)) }
    let latest = now.advanced(by: policy.clockSkew)
    if let start = try Self.time("nbf", claims), start > latest {
      throw .notYetValid(Self.seconds(from: now, to: start))
    }
    let issuedAt = try Self.time("iat", claims)
    if let issuedAt, issuedAt > latest { throw .issuedInFuture(Self.seconds(from: now, to: issuedAt)) }
    return (issuedAt, expiresAt)
  }

  /// Nil if it is absent.
  private static func time(_ name: String, _ claims: JSONObject) throws(TokenFlaw) -> Timestamp? {
    guard let claim = claims[name], !claim.isNull else { return nil }
    // What no calendar holds is no time.
    guard let seconds = claim.double, seconds.magnitude < 1e11 else { throw .malformed }
    return Timestamp(milliseconds: Int64((seconds * 1_000).rounded()))
  }

  private static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
    (end.milliseconds - start.milliseconds) / 1_000
  }

  private func userKey(_ claims: JSONObject) throws(TokenFlaw) -> String {
    let text: String
    switch claims[policy.claim] {
    case .string(let claim): text = claim
    case .integer(let number): text = String(number)
    default: throw .noUser
    }
    // Blanks around it, which a header would lose, are part of no key.
    guard case .success(let key) = UserKey.read([text], limits: limits), let key, key == text else {
      throw text.isEmpty ? .noUser : .unusableUser
    }
    return key
  }
}
