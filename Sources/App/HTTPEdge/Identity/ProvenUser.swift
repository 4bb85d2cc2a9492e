import EventSourcing

/// Whom a token names, as long as it counts.
struct ProvenUser: Sendable, Equatable {
  let key: String
  /// Nil if it does not say: it counts as older than any revocation.
  let issuedAt: Timestamp?
  let expiresAt: Timestamp
}
