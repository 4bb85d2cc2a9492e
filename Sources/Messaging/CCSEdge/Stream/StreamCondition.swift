/// Why a stream ends, in the words of XMPP. Spec: RFC 6120, 4.9.3.
enum StreamCondition: String, Sendable, Equatable, CaseIterable {
  case badFormat = "bad-format"
  case badNamespacePrefix = "bad-namespace-prefix"
  case conflict
  case connectionTimeout = "connection-timeout"
  case hostUnknown = "host-unknown"
  case internalServerError = "internal-server-error"
  case invalidNamespace = "invalid-namespace"
  case notAuthorized = "not-authorized"
  case notWellFormed = "not-well-formed"
  case policyViolation = "policy-violation"
  case resourceConstraint = "resource-constraint"
  case restrictedXML = "restricted-xml"
  case systemShutdown = "system-shutdown"
  case unsupportedEncoding = "unsupported-encoding"
  case unsupportedStanzaType = "unsupported-stanza-type"
  case unsupportedVersion = "unsupported-version"
}

/// Why a login fails. Spec: RFC 6120, 6.5.
enum LoginFailure: String, Error, Equatable, CaseIterable {
  case aborted
  case incorrectEncoding = "incorrect-encoding"
  case invalidAuthzid = "invalid-authzid"
  case invalidMechanism = "invalid-mechanism"
  case malformedRequest = "malformed-request"
  case notAuthorized = "not-authorized"
}

/// The namespaces that a stream of ours speaks.
enum XMLNamespace {
  static let stream = "http://etherx.jabber.org/streams"
  static let client = "jabber:client"
  static let login = "urn:ietf:params:xml:ns:xmpp-sasl"
  static let binding = "urn:ietf:params:xml:ns:xmpp-bind"
  static let session = "urn:ietf:params:xml:ns:xmpp-session"
  static let ping = "urn:xmpp:ping"
  /// Spec: GCM C3.
  static let messages = "google:mobile:data"
}

/// Why a query is refused. Spec: RFC 6120, 8.3.3.
enum StanzaCondition: String, Sendable, Equatable {
  case badRequest = "bad-request"
  case notAllowed = "not-allowed"
  case serviceUnavailable = "service-unavailable"

  /// What the client is to make of it.
  var type: String { self == .badRequest ? "modify" : "cancel" }
}
