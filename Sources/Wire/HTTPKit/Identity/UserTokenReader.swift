package import EventSourcing
import JSONEnvelope

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
    let signed = try SignedToken(token, keys: keys)
    let (issuedAt, expiresAt) = try signed.times(now: now, skew: policy.clockSkew)
    if let issuer = policy.issuer, signed.claims["iss"]?.string != issuer { throw .issuer }
    if let audience = policy.audience, !signed.audiences.contains(audience) { throw .audience }
    return ProvenUser(key: try userKey(signed.claims), issuedAt: issuedAt, expiresAt: expiresAt)
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
