internal import EventSourcing
internal import JSONEnvelope
internal import JWTKit
internal import Synchronization

/// Makes the provider token of one team and key, for all lanes that use it. Spec: providers 2.2.
///
/// The token is made within one turn of the actor, so that there is never a second one: that is the single flight.
actor ProviderTokenMint {
  private let key: ES256PrivateKey
  private let keyID: String
  private let teamID: String
  private let store: (any ProviderTokenStore)?
  private let storeName: String
  private let random: @Sendable () -> Double
  private var age = ProviderTokenAge()
  private var signer: (any JWTAlgorithm)?
  private var hasLoaded = false
  /// A copy for metrics, which do not wait.
  nonisolated private let latestIssue = Mutex<Timestamp?>(nil)

  /// - Parameter random: 0..<1, for the jitter of the renewal.
  init(
    key: ES256PrivateKey, keyID: String, teamID: String, store: (any ProviderTokenStore)?, storeName: String,
    random: @escaping @Sendable () -> Double
  ) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
    self.store = store
    self.storeName = storeName
    self.random = random
  }

  nonisolated var issuedAt: Timestamp? { latestIssue.withLock { $0 } }

  /// The token to use now.
  func token(now: Timestamp) async throws -> String {
    let signer = try await preparedSigner()
    // No suspension from here on.
    if !hasLoaded {
      hasLoaded = true
      if let stored = store?.load(storeName) { age.restored(stored, jitter: jitter, now: now) }
      note()
    }
    if let current = age.current, !age.isDue(at: now) { return current.token }
    let seconds = age.appleTime(now).milliseconds / 1000
    let token = try SignedToken.text(
      header: ["alg": "ES256", "kid": .string(keyID)],
      claims: ["iss": .string(teamID), "iat": .integer(seconds)], signer: signer)
    let made = StoredProviderToken(token: token, issuedAt: Timestamp(milliseconds: seconds * 1000))
    age.issued(made, jitter: jitter)
    note()
    store?.save(made, as: storeName)
    return token
  }

  /// After `ExpiredProviderToken`: whether sending again makes sense.
  func expired(_ token: String, date: Timestamp?, now: Timestamp) -> ProviderTokenAge.Rejection {
    age.expired(token, date: date, now: now)
  }

  /// After `TooManyProviderTokenUpdates`: none is made for a while.
  func tooManyUpdates(now: Timestamp) { age.tooManyUpdates(now: now) }

  private var jitter: Double { random() * 2 - 1 }

  private func note() {
    let issuedAt = age.current?.issuedAt
    latestIssue.withLock { $0 = issuedAt }
  }

  private func preparedSigner() async throws -> any JWTAlgorithm {
    if let signer { return signer }
    // Two calls may both come here; both make the same.
    let made = try await SignedToken.signer(key)
    signer = made
    return made
  }
}
