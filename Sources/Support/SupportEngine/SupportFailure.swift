public import StorageEngine
public import SupportDomain

/// Why support refuses a request. `SupportAPI` alone turns it into a status.
public enum SupportFailure: Error, Equatable, Sendable {
  /// No app of this client id is configured: 403.
  case unknownApp
  /// The app is configured for the other kind of identity: 403. Spec: support requests 2.
  case identityMismatch
  /// An agent's e-mail is no end user's: 403. Spec: support requests 2.
  case agentEmail
  /// The token of the app's back end was used before: no identity, 403.
  case replayed
  /// No such thing, or not the asker's: 404.
  case notFound
  /// A field is not usable: 422.
  case invalid(field: String, reason: String)
  /// A field that has to be there is not: 422.
  case missing(field: String)
  /// The request refuses; the rejection says why: 422, and 404 for `unknown`.
  case request(SupportRequestRejection)
  /// 413.
  case tooLarge(limit: Int)
  /// The user, or the address, has as much as one may have: 429.
  case quota(_ what: String, limit: Int, of: StorageHolder = .user)
  /// A named limit is reached: 503 with Retry-After.
  case limitReached(String)
  /// The server is stopping or still recovering: 503 with Retry-After.
  case unavailable
  /// The disk has no room for another event: 507.
  case storageFull
}
