public import EventSourcing
internal import JSONEnvelope
internal import JWTKit
import OptionKit
public import PushDomain
internal import Synchronization
internal import TextEncoding

/// Asks the customer's backend who the holder of a token is. Spec: support requests 2.
///
/// ```
/// POST <the app's JWT endpoint>       Content-Type: application/x-www-form-urlencoded
/// user_token=…                        200 {"jwt":"<HS256 token with jti, iat, name, email, external_id>"}
/// ```
///
/// The URL is the operator's own, so it may be anywhere, but it must be `https` unless option `support.test` is `true`;
/// `webhooks.ca_file` holds here too. Nothing is kept and nothing is logged: whether a `jti` has been seen before is the
/// caller's to know.
public struct IdentityVerifier: Sendable {
  /// Bytes of the secret that is shared with the customer's backend. Spec: RFC 7518, 3.2.
  public static let secretBytes = 32...1_024

  private let courier: WebhookCourier
  private let limits: IdentityLimits
  private let inFlight = InFlight()

  /// - Parameter courier: sends the questions; its owner shuts it down.
  public init(courier: WebhookCourier, limits: IdentityLimits = IdentityLimits()) {
    self.courier = courier
    self.limits = limits
  }

  /// Why nobody can be verified as long as the configuration is as it is, in a few words without its values; nil if all
  /// is there.
  public func obstacle(at url: String, secret: String, options: PushOptions) -> String? {
    do {
      _ = try endpoint(url, secret, options)
      return nil
    } catch { return error.description }
  }

  /// Asks once.
  /// - Parameters:
  ///   - token: what the app gave; opaque.
  ///   - url: the app's JWT endpoint.
  ///   - secret: shared with it; signs its answers.
  /// - Throws: why there is no identity, and whether that may pass.
  public func verify(
    token: String, at url: String, secret: String, options: PushOptions, now: Timestamp
  ) async throws(IdentityFailure) -> VerifiedIdentity {
    guard !token.isEmpty else { throw .refused(reason: "token: empty") }
    guard token.utf8.count <= limits.tokenBytesMaximum else { throw .refused(reason: "token: too long") }
    let endpoint: Endpoint
    // A configuration that is wrong says nothing about the user.
    do { endpoint = try self.endpoint(url, secret, options) } catch { throw .unreachable(reason: error.description) }
    guard let key = try? await SignedToken.signer(secret) else { throw .unreachable(reason: "secret: unusable") }
    let jwt = try Self.jwt(in: try await answer(to: token, endpoint))
    do { return try IdentityClaims.read(jwt, signedBy: key, limits: limits, now: now) } catch {
      throw .refused(reason: error.reason)
    }
  }

  private typealias Endpoint = (url: WebhookURL, trust: TrustRoots?)

  private func endpoint(_ url: String, _ secret: String, _ options: PushOptions) throws(OptionProblem) -> Endpoint {
    guard Self.secretBytes.contains(secret.utf8.count) else {
      throw OptionProblem("secret: not \(Self.secretBytes.lowerBound) to \(Self.secretBytes.upperBound) bytes")
    }
    guard let url = WebhookURL(url) else { throw OptionProblem("invalid URL") }
    guard url.isTLS || options[SupportPushOptions.keys.isTest] else { throw OptionProblem("not https") }
    return (url, try courier.trust(WebhookOptions.keys.trustRootsFile, options))
  }

  private func answer(to token: String, _ endpoint: Endpoint) async throws(IdentityFailure) -> OutboundAnswer {
    let origin = endpoint.url.origin
    guard inFlight.begin(origin, maximum: limits.inFlightPerEndpointMaximum) else {
      throw .unreachable(reason: "too many questions at once")
    }
    defer { inFlight.end(origin) }
    let post = OutboundPost(
      url: endpoint.url, body: Self.form(token),
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
      route: .operators, trust: endpoint.trust, keepsAnswer: true, answerTimeout: limits.answerTimeout)
    do { return try await courier.poster.post(post) } catch { throw .unreachable(reason: error.reason) }
  }

  /// `user_token=…`; what is neither letter, digit nor `-._~` as `%XX`. Spec: RFC 3986, 2.3.
  static func form(_ token: String) -> [UInt8] {
    var bytes = Array("user_token=".utf8)
    PercentEncoding.append(token, to: &bytes)
    return bytes
  }

  private static func jwt(in answer: OutboundAnswer) throws(IdentityFailure) -> String {
    switch answer.status {
    case 200: break
    // From whatever stands before the backend, or from a backend that is not ready: no word about the user.
    case 300...399, 408, 425, 429, 500...: throw .unreachable(reason: answer.reason)
    default: throw .refused(reason: answer.reason)
    }
    // The page of a proxy, or an answer that was cut off.
    guard let object = (try? JSONValue(parsing: answer.body))?.object else {
      throw .unreachable(reason: "200 without a JSON object")
    }
    guard let jwt = object["jwt"]?.string else { throw .refused(reason: "200 without a jwt") }
    return jwt
  }
}

/// How many questions are under way to each endpoint.
private final class InFlight: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// False if there are too many; else `end` must follow.
  func begin(_ endpoint: String, maximum: Int) -> Bool {
    counts.withLock { counts in
      guard counts[endpoint, default: 0] < maximum else { return false }
      counts[endpoint, default: 0] += 1
      return true
    }
  }

  func end(_ endpoint: String) {
    counts.withLock { counts in
      // Endpoints that nobody asks are forgotten.
      counts[endpoint] = counts[endpoint].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }
}
