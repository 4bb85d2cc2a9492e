package import EventSourcing

/// Whom a token names, as long as it counts.
package struct ProvenUser: Sendable, Equatable {
  package let key: String
  /// Nil if it does not say: it counts as older than any revocation.
  package let issuedAt: Timestamp?
  package let expiresAt: Timestamp

  package init(key: String, issuedAt: Timestamp?, expiresAt: Timestamp) {
    self.key = key
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }
}
