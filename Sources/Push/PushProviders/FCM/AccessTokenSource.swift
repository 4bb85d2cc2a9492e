internal import EventSourcing
internal import JSONEnvelope
internal import JWTKit
internal import PushDomain
internal import Synchronization

/// The access token of one service account, asked for by a single flight. Spec: providers 3.1.
actor AccessTokenSource {
  static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  static let assertionSeconds: Int64 = 3_600
  static let lifeSecondsDefault = 3_600

  enum Answer: Sendable, Equatable {
    case token(String)
    case none(PushOutcome)
  }

  private let account: ServiceAccount
  private let client: FCMHTTPClient
  private let random: @Sendable () -> Double
  private var age = AccessTokenAge()
  private var renewal: Task<Void, Never>?
  private var signer: (any JWTAlgorithm)?
  /// A copy for metrics, which do not wait.
  nonisolated private let latestIssue = Mutex<Timestamp?>(nil)

  /// - Parameter random: 0..<1, for the pauses after failures.
  init(_ account: ServiceAccount, client: FCMHTTPClient, random: @escaping @Sendable () -> Double) {
    self.account = account
    self.client = client
    self.random = random
  }

  nonisolated var issuedAt: Timestamp? { latestIssue.withLock { $0 } }

  /// The token to use now. While an old one holds, nobody waits for the new one.
  func token(now: Timestamp) async -> Answer {
    switch age.step(now: now) {
    case .use(let token): return .token(token)
    case .useAndRenew(let token):
      _ = renewing(now: now)
      return .token(token)
    case .fail(let outcome): return .none(outcome)
    case .renewFirst:
      await renewing(now: now).value
      if let current = age.current, now < current.end { return .token(current.text) }
      return .none(age.failure(now: now) ?? .retryable(reason: "no access token"))
    }
  }

  /// After `UNAUTHENTICATED` to a request that carried `token`.
  func drop(_ token: String) { age.drop(token) }

  /// Waits for what is under way.
  func finish() async { await renewal?.value }

  private func renewing(now: Timestamp) -> Task<Void, Never> {
    if let renewal { return renewal }
    let task = Task { await renew(now: now) }
    renewal = task
    return task
  }

  private func renew(now: Timestamp) async {
    do throws(AccessTokenAge.Failure) {
      let (token, life) = try await fetch(now: now)
      age.obtained(token, lifeSeconds: life, now: now)
      latestIssue.withLock { $0 = now }
    } catch {
      age.failed(error, now: now, random: random())
    }
    renewal = nil
  }

  private func fetch(now: Timestamp) async throws(AccessTokenAge.Failure) -> (token: String, lifeSeconds: Int) {
    guard let assertion = try? await assertion(now: now) else { throw .denied("access token cannot be asked for") }
    let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion
    let answer = await client.post(
      Array(form.utf8), to: account.tokenURL, type: "application/x-www-form-urlencoded")
    switch answer {
    case .untrusted(let reason): throw .denied("token endpoint: \(reason)")
    case .unreachable(let reason), .unknown(let reason): throw .passing("token endpoint: \(reason)")
    case .answered(let status, _, let body): return try Self.read(status, body)
    }
  }

  /// What an answer of the token endpoint means.
  static func read(_ status: Int, _ body: [UInt8]) throws(AccessTokenAge.Failure) -> (token: String, lifeSeconds: Int) {
    let answer = try? JSONValue(parsing: body)
    guard status == 200 else {
      let reason = "token endpoint: " + PushText.reason(status, answer?["error"]?.string)
      if (300..<500).contains(status), status != 408, status != 429 { throw .denied(reason) }
      throw .passing(reason)
    }
    guard let token = answer?["access_token"]?.string, !token.isEmpty, PushText.isPrintable(token) else {
      throw .passing("token endpoint: 200 unreadable")
    }
    return (token, answer?["expires_in"]?.lenientInteger ?? lifeSecondsDefault)
  }

  private func assertion(now: Timestamp) async throws -> String {
    let signer: any JWTAlgorithm
    if let known = self.signer { signer = known } else { signer = try await SignedToken.signer(account.key) }
    self.signer = signer
    let seconds = now.milliseconds / 1000
    var header: JSONObject = ["alg": "RS256", "typ": "JWT"]
    header["kid"] = account.keyID.map { .string($0) }
    let claims: JSONObject = [
      "iss": .string(account.clientEmail), "scope": .string(Self.scope), "aud": .string(account.tokenURL),
      "iat": .integer(seconds), "exp": .integer(seconds + Self.assertionSeconds),
    ]
    return try SignedToken.text(header: header, claims: claims, signer: signer)
  }
}
