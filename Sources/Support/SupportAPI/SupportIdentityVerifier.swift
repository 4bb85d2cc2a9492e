public import SupportEngine

/// Asks an app's own back end who the bearer of its token is. Spec: support requests 2.
public typealias SupportIdentityVerifier =
  @Sendable (SupportAppSettings, _ token: String) async throws(SupportIdentityFailure) -> VerifiedSupportIdentity

/// Somebody for whom an app's back end vouches.
public struct VerifiedSupportIdentity: Sendable, Equatable {
  /// What the back end itself knows somebody by.
  public let externalID: String?
  public let name: String
  public let email: String
  /// `jti` of the back end's token: it counts once.
  public let tokenID: String

  public init(externalID: String?, name: String, email: String, tokenID: String) {
    self.externalID = externalID
    self.name = name
    self.email = email
    self.tokenID = tokenID
  }
}

/// Why there is no identity. Neither is answered with 401, upon which an app forgets who it is.
public enum SupportIdentityFailure: Error, Equatable, Sendable {
  /// The back end could not be asked; it may be later: 503. - Parameter retryAfter: seconds; nil for the usual ones.
  case unreachable(retryAfter: Int?)
  /// It does not vouch, or not in a form that counts: 403.
  case refused
}
