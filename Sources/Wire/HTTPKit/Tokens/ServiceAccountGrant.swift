package import EventSourcing
package import JWTKit

/// The signed grant that a service account exchanges for an access token. Spec: GCM E2; RFC 7523, 2.1 and 3.
package struct ServiceAccountGrant: JWTPayload {
  package static let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// What Google's own library names as the audience, whatever `token_uri` the key file has (google-auth 2.62). The key
  /// was made by this server, so nothing that is signed with it is meant for anybody else.
  private static let googleAudience = "https://oauth2.googleapis.com/token"

  package enum Failure: Error, Equatable {
    /// The words are Google's.
    case malformed, unknownAccount, wrongSignature, wrongAudience, notInForce

    package var description: String {
      switch self {
      case .malformed: "Invalid JWT"
      case .unknownAccount: "Invalid grant: account not found"
      case .wrongSignature: "Invalid JWT Signature."
      case .wrongAudience: "Invalid JWT: the audience is not this server's token_uri"
      case .notInForce: "Invalid JWT: it must be a short-lived token in a reasonable timeframe"
      }
    }
  }

  /// The account's address.
  package let iss: String
  package let aud: AudienceClaim
  /// Seconds.
  package let iat: Double
  package let exp: Double

  /// What JWTKit has to ask for; the claims are judged by `check`, which knows the time and the account.
  package func verify(using algorithm: some JWTAlgorithm) throws {}

  /// The sender that the grant speaks for. It may be shown again as long as it is in force: that is harmless.
  package static func sender(
    of grant: String, tokens: TokenStore, now: Timestamp
  ) async throws(Failure) -> SenderIdentity {
    guard grant.utf8.count <= EdgeLimits.grantBytesMaximum, let claimed = await unverified(grant) else {
      throw .malformed
    }
    guard let (account, sender) = tokens.serviceAccount(claimed.iss) else { throw .unknownAccount }
    guard let verified = await verified(grant, by: account) else { throw .wrongSignature }
    guard verified.aud.value.contains(where: { $0 == account.tokenURI || $0 == googleAudience }) else {
      throw .wrongAudience
    }
    guard verified.isInForce(at: now) else { throw .notInForce }
    return sender
  }

  private func isInForce(at now: Timestamp) -> Bool {
    let (now, skew) = (Double(now.milliseconds) / 1_000, Double(EdgeLimits.grantClockSkewSeconds))
    return exp > now && iat <= now + skew && exp - iat <= Double(EdgeLimits.grantLifetimeSecondsMaximum) + skew
  }

  private static func unverified(_ grant: String) async -> ServiceAccountGrant? {
    try? await JWTKeyCollection().unverified(grant)
  }

  private static func verified(_ grant: String, by account: ServiceAccount) async -> ServiceAccountGrant? {
    guard let key = try? Insecure.RSA.PublicKey(pem: account.publicKey) else { return nil }
    let keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256)
    return try? await keys.verify(grant)
  }
}
