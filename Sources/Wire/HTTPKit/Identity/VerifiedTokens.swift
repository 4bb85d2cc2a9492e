package import Crypto

/// Tokens that have been verified, by their hash: an app shows the same one with every request, and a signature costs
/// more than the rest of a poll. What can change meanwhile (time, revocations) is looked at every time.
package struct VerifiedTokens: Sendable {
  private var users: [SHA256Digest: ProvenUser] = [:]
  /// Of the keys that verified them.
  private var version = 0

  package mutating func user(_ digest: SHA256Digest, version: Int) -> ProvenUser? {
    if version != self.version {
      users = [:]
      self.version = version
    }
    return users[digest]
  }

  package mutating func insert(_ user: ProvenUser, _ digest: SHA256Digest, version: Int) {
    guard version == self.version else { return }
    // All at once: who still comes is verified once more.
    if users.count >= EdgeLimits.verifiedTokensMaximum { users = [:] }
    users[digest] = user
  }
}
