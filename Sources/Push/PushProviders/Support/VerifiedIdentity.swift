public import EventSourcing

/// Who an end user is, in the words of the customer's backend. Spec: support requests 2.
///
/// Its `description` leaves out name and address, so that it may stand in a log.
public struct VerifiedIdentity: Sendable, Equatable, CustomStringConvertible {
  /// Unique for each answer of the backend: whoever accepts the identity remembers it and takes it once.
  public let jti: String
  public let issuedAt: Timestamp
  public let name: String
  public let email: String
  /// The customer's own id of the user; a number as its decimal text.
  public let externalID: String?

  public init(jti: String, issuedAt: Timestamp, name: String, email: String, externalID: String? = nil) {
    self.jti = jti
    self.issuedAt = issuedAt
    self.name = name
    self.email = email
    self.externalID = externalID
  }

  public var description: String { "verified identity" }
}

/// Why there is no identity. The reasons are short and hold neither token nor claims.
public enum IdentityFailure: Error, Sendable, Equatable {
  /// The customer's backend does not vouch for the user, or what it says is not to be believed.
  case refused(reason: String)
  /// It did not come to that: the same token may be good in a minute. Never a reason to end an identity, since the app
  /// would take that for a new user. Spec: support requests 2.
  case unreachable(reason: String)
}

/// The bounds of asking for identities. Spec: support requests 2.
public struct IdentityLimits: Sendable, Equatable {
  /// Until the customer's endpoint begins to answer, all in all.
  public var answerTimeout: Duration = .seconds(10)
  /// Questions under way at the same time to one endpoint; a further one is told to come again.
  public var inFlightPerEndpointMaximum = 128
  /// Bytes of the app's own token.
  public var tokenBytesMaximum = 8_192
  /// Bytes of the answer's `jwt`.
  public var jwtBytesMaximum = 16_384
  /// How far `iat` may be from now, either way.
  public var ageMaximum: Duration = .seconds(180)
  /// Bytes of the claims.
  public var jtiBytesMaximum = 256
  public var nameBytesMaximum = 1_024
  /// Spec: RFC 5321, 4.5.3.1.3.
  public var emailBytesMaximum = 254
  public var externalIDBytesMaximum = 255

  public init() {}
}
