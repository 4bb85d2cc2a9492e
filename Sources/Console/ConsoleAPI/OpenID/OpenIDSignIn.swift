package import EngineKit
package import EventSourcing
import HTTPKit
import NetworkAddress
import OptionKit
import Synchronization

/// Signing in by a provider: what has begun, and what is known of the provider. One for the whole server.
package final class OpenIDSignIn: Sendable {
  let limits: OpenIDLimits
  let flows: OpenIDFlows
  let now: @Sendable () -> Timestamp
  private let options: @Sendable () -> Options
  private let security: SecurityLog
  /// As long as the options say the same, with all that is known of it.
  private let provider = Mutex<OpenIDProvider?>(nil)

  /// - Parameters:
  ///   - options: those in force.
  ///   - now: the clock that what a provider has signed is judged by.
  package init(
    limits: OpenIDLimits, security: SecurityLog, now: @escaping @Sendable () -> Timestamp,
    options: @escaping @Sendable () -> Options
  ) {
    self.limits = limits
    self.security = security
    self.now = now
    self.options = options
    flows = OpenIDFlows(limits)
  }

  /// Nil if nobody is signed in so.
  var settings: OpenIDSettings? { OpenIDSettings(options().section(.server)) }

  /// The one that may sign people in now. - Throws: 404 if there is none.
  func currentProvider() throws(EdgeFailure) -> OpenIDProvider {
    guard let settings else { throw .notFound }
    return provider.withLock { known in
      if let known, known.settings == settings { return known }
      let fresh = OpenIDProvider(settings, limits: limits, now: now)
      known = fresh
      return fresh
    }
  }

  func note(_ refusal: OpenIDRefusal, from address: IPAddress?) {
    security.note(refusal.kind, from: address, reason: refusal.reason)
  }
}
