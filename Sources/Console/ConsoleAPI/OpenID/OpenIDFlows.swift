import EventSourcing
import HTTPKit
import Synchronization
import TextEncoding

/// A sign-in that has begun, and whose browser is at the provider.
struct OpenIDFlow: Sendable, Equatable {
  /// The hash of the secret in the browser's cookie: nobody else ends what it has begun.
  let browser: String
  /// What the provider has to sign. Spec: OpenID Connect Core 1.0, 15.5.2.
  let nonce: String
  /// Of its code nobody can make use who does not know this. Spec: RFC 7636, 4.1.
  let verifier: String
  /// The session that this browser has had before.
  let former: String?
  let endsAt: Timestamp

  /// Spec: RFC 7636, 4.2.
  var challenge: String { Base64.encodeForURL(SHA256Bytes.of(verifier)) }
}

/// Those that have begun, by their states. In memory alone: whoever comes back to a server that was started anew begins
/// again.
final class OpenIDFlows: Sendable {
  private let flows = Mutex<[String: OpenIDFlow]>([:])
  private let limits: OpenIDLimits

  init(_ limits: OpenIDLimits) { self.limits = limits }

  var count: Int { flows.withLock { $0.count } }

  /// - Parameters:
  ///   - browser: the hash of the secret in its cookie.
  ///   - former: the session that it has now.
  /// - Returns: with the state that the provider is to send back.
  func begin(browser: String, former: String?, now: Timestamp) -> (state: String, flow: OpenIDFlow) {
    let state = Self.randomText()
    let flow = OpenIDFlow(
      browser: browser, nonce: Self.randomText(), verifier: Self.randomText(), former: former,
      endsAt: now.advanced(by: limits.flowLife))
    flows.withLock { flows in
      if flows.count >= limits.flowsMaximum { flows = flows.filter { now < $0.value.endsAt } }
      // To refuse new ones would let whoever begins many keep everybody out.
      if flows.count >= limits.flowsMaximum, let oldest = flows.min(by: { $0.value.endsAt < $1.value.endsAt }) {
        flows[oldest.key] = nil
      }
      flows[state] = flow
    }
    return (state, flow)
  }

  /// Ends one, whoever asks: a state is shown once. - Returns: nil if it is none of this browser's, or none any more.
  func take(_ state: String, browser: String, now: Timestamp) -> OpenIDFlow? {
    guard let flow = flows.withLock({ $0.removeValue(forKey: state) }), now < flow.endsAt,
      ConstantTime.equal(flow.browser, browser)
    else { return nil }
    return flow
  }

  private static func randomText() -> String { Base64.encodeForURL(TokenStore.randomBytes(32)) }
}
