/// Whose a request is, as `UserIdentity` has found out.
package struct Caller: Sendable, Equatable {
  /// The `gms_user`: named, or proven where that is asked for; nil for nobody in particular.
  package var userKey: String?
  /// The token's word on it, if a token proves users.
  package var proof: ProvenUser?
  /// The bearer of `Authorization` that proves no `gms_user`: it may be an access token of support's.
  package var accessToken: String?
}
