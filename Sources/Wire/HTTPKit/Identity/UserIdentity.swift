import Crypto
package import EngineKit
package import EventSourcing
import HTTPTypes
package import Logging
package import NIOHTTP1
package import NetworkAddress
import Synchronization

/// Says whose a request is. The one place that reads who a customer claims to be: everything behind it goes by the
/// `Caller` that it gives, so there is no surface that could forget to ask.
///
/// ```
/// head ─> caller ─┬─ open: the gms_user that is named
///                 ├─ the key of one callback, which proves itself ──┐
///                 ├─ token: the user of a token that was verified ──┤ (its signature once, its time every time)
///                 └─ proxy: the user in a trusted proxy's header ───┴─> Caller
///                    anything else that names a user ─> refused, and a line in the log
/// ```
package final class UserIdentity: Sendable {
  package let policy: IdentityPolicy
  private let proxies: TrustedProxies
  private let limits: EdgeLimits
  private let security: SecurityLog
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  /// Whether a key was made here, for one callback alone.
  private let isIssued: @Sendable (_ userKey: String) -> Bool
  private let ring = KeyRing()
  private let verified = Mutex(VerifiedTokens())
  /// Somebody has shown what a key that is not known may have signed, or the keys are due.
  private let wishes: AsyncStream<Void>
  private let wish: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - now: the clock that tokens are judged by.
  ///   - isIssued: whether a key was made here, for one callback alone.
  package init(
    _ policy: IdentityPolicy, proxies: TrustedProxies, limits: EdgeLimits, now: @escaping @Sendable () -> Timestamp,
    security: SecurityLog, logger: Logger, isIssued: @escaping @Sendable (_ userKey: String) -> Bool
  ) {
    self.policy = policy
    self.proxies = proxies
    self.limits = limits
    self.now = now
    self.isIssued = isIssued
    self.security = security
    self.logger = logger
    (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The header for users' tokens, if it is one of its own: pages of other origins are told that they may set it.
  package var ownHeader: String? {
    guard case .token(let policy) = policy, policy.header != Self.authorization else { return nil }
    return policy.header
  }

  // MARK: Whose a request is

  /// - Parameters:
  ///   - inBand: a token that the request's body brings, for clients that cannot set headers.
  ///   - peer: the other end of the connection.
  ///   - address: where the request comes from, for the log.
  /// - Throws: what whoever names a user without proof is told: 401, 403, or 503 while nobody can be verified.
  package func caller(
    _ headers: HTTPHeaders, inBand: String? = nil, peer: IPAddress?, address: IPAddress?
  ) throws(EdgeFailure) -> Caller {
    let bearer = TokenStore.bearer(of: headers.first(name: "authorization"))
    let named = try UserKey.read(headers[UserKey.headerName], limits: limits).get()
    switch policy {
    case .open: return Caller(userKey: named, accessToken: bearer)
    case .proxyHeader(let name):
      return Caller(userKey: try found(by: name, headers, named, peer, address), accessToken: bearer)
    case .token(let policy):
      // A bearer without dots is another kind of token; whose, is not asked here.
      let isToken = policy.header == Self.authorization && bearer?.contains(".") == true
      let token = isToken ? bearer : try Self.token(in: policy.header, headers)
      return try caller(token ?? inBand, named, accessToken: isToken ? nil : bearer, address)
    }
  }

  /// The user whom a token in a message proves, on a socket whose upgrade request proved none; nil if it proves nobody.
  package func user(inBand token: String, address: IPAddress?) -> ProvenUser? {
    guard case .token = policy else { return nil }
    return try? proven(token, address)
  }

  /// Whether a user key needs no other proof, where users are proven: whoever comes from a callback's push has nothing
  /// else, and it opens that callback's chat alone. Spec: GMS 9.3, `_user_header`.
  package func provesItself(_ userKey: String) -> Bool { policy.provesUsers && isIssued(userKey) }

  /// Whether what was proven once is still good: a socket may outlive its token.
  package func holds(_ caller: Caller) -> Bool {
    guard case .token(let policy) = policy, let proof = caller.proof else { return true }
    return now() < proof.expiresAt.advanced(by: policy.clockSkew) && !ring.revokes(proof)
  }

  private static let authorization = "authorization"

  /// The header that brings the bare token; `Bearer` before it does not matter.
  private static func token(in name: String, _ headers: HTTPHeaders) throws(EdgeFailure) -> String? {
    guard name != authorization else { return nil }
    let values = headers[name]
    guard values.count <= 1 else { throw .badParameter(name, "is given more than once") }
    guard let value = values.first, !value.isEmpty else { return nil }
    return TokenStore.bearer(of: value) ?? value
  }

  private func caller(
    _ token: String?, _ named: String?, accessToken: String?, _ address: IPAddress?
  ) throws(EdgeFailure) -> Caller {
    if let named, provesItself(named) { return Caller(userKey: named, accessToken: accessToken) }
    guard let token else {
      guard named == nil else {
        security.note(.unprovenUser, from: address)
        throw .userTokenRequired
      }
      return Caller(accessToken: accessToken)
    }
    let user = try proven(token, address)
    guard named ?? user.key == user.key else {
      security.note(.otherUser, from: address)
      throw .forbidden("'\(UserKey.headerName)' names somebody else than the token")
    }
    return Caller(userKey: user.key, proof: user, accessToken: accessToken)
  }

  private func found(
    by name: String, _ headers: HTTPHeaders, _ named: String?, _ peer: IPAddress?, _ address: IPAddress?
  ) throws(EdgeFailure) -> String? {
    if let named, provesItself(named) { return named }
    let found =
      name == UserKey.headerName ? named : try UserKey.read(headers[name], name: name, limits: limits).get()
    guard found != nil || named != nil else { return nil }
    guard proxies.trusts(peer) else {
      security.note(.untrustedProxy, from: peer)
      throw .forbidden("'\(name)' counts only from this server's own proxy")
    }
    guard named ?? found == found else {
      security.note(.otherUser, from: address)
      throw .forbidden("'\(UserKey.headerName)' names somebody else than '\(name)'")
    }
    return found
  }

  private func proven(_ token: String, _ address: IPAddress?) throws(EdgeFailure) -> ProvenUser {
    do { return try user(of: token) } catch {
      security.note(error.kind, from: address, reason: error.detail)
      if error.mayBeByNewKey { wish.yield() }
      throw error == .noKeys ? .unavailable("Nobody can be verified at the moment") : .userTokenRefused(error)
    }
  }

  private func user(of token: String) throws(TokenFlaw) -> ProvenUser {
    guard case .token(let policy) = policy else { throw .noKeys }
    guard token.utf8.count <= EdgeLimits.userTokenBytesMaximum else { throw .tooLong }
    let (now, digest) = (now(), SHA256.hash(data: Array(token.utf8)))
    let (keys, version) = ring.keys(now: now)
    let known = verified.withLock { $0.user(digest, version: version) }
    let user: ProvenUser
    if let known, now < known.expiresAt {
      user = known
    } else {
      user = try UserTokenReader(policy: policy, limits: limits).user(of: token, keys: keys, now: now)
      verified.withLock { $0.insert(user, digest, version: version) }
    }
    guard !ring.revokes(user) else { throw .revoked }
    return user
  }

  // MARK: Keys

  /// Reads what is needed before the first request.
  /// - Throws: what the operator has to mend. A URL that does not answer is none of that: it is asked again.
  package func start() async throws(IdentityUnusable) {
    switch policy {
    case .open:
      logger.notice(
        "identity is open: whoever knows a gms_user is taken for that user; option identity asks for proof")
    case .proxyHeader(let name):
      logger.notice("identity: users are whom the trusted proxies name", metadata: ["header": "\(name)"])
    case .token(let policy):
      do { try await readOwn(KeySource(policy: policy)) } catch {
        throw IdentityUnusable(description: error.description)
      }
      _ = await fetch(policy)
      logger.notice(
        "identity: users are proven by tokens", metadata: ["keys": "\(ring.keys(now: now()).keys.count)"])
    }
  }

  /// Keeps the keys of the URL up to date, until the task is cancelled.
  package func keepKeys() async {
    guard case .token(let policy) = policy, policy.keySetURL != nil else { return }
    await withDiscardingTaskGroup { group in
      group.addTask { [wish] in
        while (try? await Task.sleep(for: policy.keySetInterval)) != nil { wish.yield() }
      }
      for await _ in wishes {
        let isFetched = await fetch(policy)
        guard (try? await Task.sleep(for: policy.keySetPause)) != nil else { break }
        if !isFetched { wish.yield() }
      }
      group.cancelAll()
    }
  }

  /// Reads the operator's files again, and the URL. What cannot be used leaves all as it was.
  package func reload() async {
    guard case .token(let policy) = policy else { return }
    do {
      try await readOwn(KeySource(policy: policy))
    } catch {
      logger.error("the keys of users' tokens stay as they were", metadata: ["reason": "\(error)"])
    }
    wish.yield()
  }

  private func readOwn(_ source: KeySource) async throws(KeyReader.Problem) {
    let (keys, revocations) = try await source.own()
    ring.replace(own: keys, revocations)
  }

  private func fetch(_ policy: TokenPolicy) async -> Bool {
    do throws(KeyReader.Problem) {
      guard let (keys, date) = try await KeySource(policy: policy).fetched() else { return true }
      let now = now()
      ring.replace(fetched: keys, until: now.advanced(by: policy.keySetLife))
      if let apart = HTTPDate.clocksApart(date, now: now, beyond: policy.clockSkew) {
        security.note(.clockIsOff, from: nil, reason: "\(apart) s ahead of the key set's server")
      }
      return true
    } catch {
      security.note(.keySetUnreadable, from: nil, reason: error.description)
      // A bad retry is not to end it: without any key nobody gets in.
      if ring.keys(now: now()).keys.isEmpty { security.note(TokenFlaw.noKeys.kind, from: nil) }
      return false
    }
  }
}

/// What is configured proves nobody, and the server does not start with it.
public struct IdentityUnusable: Error, CustomStringConvertible {
  public let description: String
}

extension SecurityLog.Kind {
  package static let unprovenUser = Self("user_unproven", "a request named a gms_user and proved none")
  package static let otherUser = Self("user_other", "a request named another gms_user than the one that was proven")
  package static let untrustedProxy = Self(
    "user_untrusted_proxy", "a gms_user came from an address that is not in proxy.trusted")
  package static let keySetUnreadable = Self("key_set_unreadable", "the keys of users' tokens cannot be read")
  package static let clockIsOff = Self("clock_off", "this server's clock and the key set's differ")
}

extension EdgeFailure {
  /// A `gms_user` without anything that proves it.
  package static let userTokenRequired: EdgeFailure = {
    var failure = EdgeFailure(.unauthorized, "A token has to prove who the user is", exception: "UnauthorizedException")
    failure.challenge = "Bearer realm=\"carillon\""
    return failure
  }()

  /// Spec: RFC 6750, 3.
  package static func userTokenRefused(_ flaw: TokenFlaw) -> EdgeFailure {
    var failure = EdgeFailure(
      .unauthorized, "The token proves nobody: \(flaw.words)", exception: "UnauthorizedException")
    failure.challenge =
      "Bearer realm=\"carillon\", error=\"invalid_token\", error_description=\"\(flaw.words)\""
    return failure
  }
}
