public import ConsoleAPI
import EntityRuntime
import EventSourcing
public import SupportAPI

/// How the server of all capabilities listens and what it allows: an HTTP server's settings, and what is asked behind it.
@dynamicMemberLookup
public struct EdgeConfiguration: Sendable {
  public var http: HTTPSettings
  /// Options `identity` and `identity.…` of section `server`.
  public var identity = IdentityPolicy.open
  public var messaging: MessagingEdgeSettings
  public var console = ConsoleSettings()
  /// What asking the console's OpenID provider may cost.
  var openIDLimits = OpenIDLimits()
  /// Asks apps' back ends who their users are; without one, nobody of theirs can sign in. Spec: support requests 2.
  public var verifyIdentity: SupportIdentityVerifier
  /// The clock that users' tokens are judged by, and what an OpenID provider has signed.
  var now: @Sendable () -> Timestamp = { SystemTime().now }
  /// What operators are shown of the configuration.
  public var inForce = ConfigurationInForce()
  /// Nil: requests are never written down.
  package var accessLog: AccessLog?
  /// The server's version, which its description names.
  public var version = "0"

  public init(
    _ http: HTTPSettings = HTTPSettings(), messaging: MessagingEdgeSettings = MessagingEdgeSettings(),
    verifyIdentity: @escaping SupportIdentityVerifier = Self.verifiesNobody
  ) {
    self.http = http
    self.messaging = messaging
    self.verifyIdentity = verifyIdentity
  }

  public subscript<Value>(dynamicMember setting: WritableKeyPath<HTTPSettings, Value>) -> Value {
    get { http[keyPath: setting] }
    set { http[keyPath: setting] = newValue }
  }

  public static let verifiesNobody: SupportIdentityVerifier = { (_, _) async throws(SupportIdentityFailure) in
    throw .unreachable(retryAfter: nil)
  }
}
