import Engine
import EventSourcing
import HTTPEdge
import Logging
import OptionKit
import PushDomain
import PushProviders
import SupportAPI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension IdentityVerifier {
  /// Asks the app's back end, with the options of the app's credentials.
  func verifying(_ options: OptionStore, _ logger: Logger) -> SupportIdentityVerifier {
    { (app, token) async throws(SupportIdentityFailure) in
      // Whoever is configured for it has both.
      guard let url = app.jwtURL, let secret = app.jwtSecret else { throw .unreachable(retryAfter: nil) }
      let current = options.current
      let lookUp = PushOptions { name in
        name == SupportPushOptions.keys.isTest.name
          ? String(app.isTest) : current.push(name, provider: app.pushProvider, tag: "", debug: app.usesDebug)
      }
      do throws(IdentityFailure) {
        let identity = try await verify(
          token: token, at: url, secret: secret, options: lookUp,
          now: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)))
        return VerifiedSupportIdentity(
          externalID: identity.externalID, name: identity.name, email: identity.email, tokenID: identity.jti)
      } catch {
        switch error {
        case .refused(let reason):
          logger.debug("identity refused", metadata: ["app": "\(app.clientID)", "reason": "\(reason)"])
          throw .refused
        case .unreachable(let reason):
          logger.warning("identities cannot be verified", metadata: ["app": "\(app.clientID)", "reason": "\(reason)"])
          throw .unreachable(retryAfter: nil)
        }
      }
    }
  }
}
