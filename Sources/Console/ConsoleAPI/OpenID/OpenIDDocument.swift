import JSONEnvelope
import NetworkAddress

/// What a provider says of itself. Spec: OpenID Connect Discovery 1.0, 3 and 4.3.
struct OpenIDDocument: Sendable, Equatable {
  let authorizationURL: String
  let tokenURL: String
  let keySetURL: String
  /// Whether it names itself in what it sends back by the browser. Spec: RFC 9207, 3.
  let namesItself: Bool

  /// Where it stands. Spec: OpenID Connect Discovery 1.0, 4.
  static func url(ofIssuer issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  init(_ bytes: [UInt8], issuer: String) throws(OpenIDRefusal) {
    guard let value = try? JSONValue(parsing: bytes), value.object != nil else {
      throw OpenIDRefusal(.provider, "what the provider says of itself is no JSON object")
    }
    guard value["issuer"]?.string == issuer else {
      throw OpenIDRefusal(.provider, "the provider calls itself otherwise than console.openid.issuer")
    }
    authorizationURL = try Self.endpoint("authorization_endpoint", of: value, issuer)
    tokenURL = try Self.endpoint("token_endpoint", of: value, issuer)
    keySetURL = try Self.endpoint("jwks_uri", of: value, issuer)
    namesItself = value["authorization_response_iss_parameter_supported"] == true
    // Whoever says nothing of it may have it all the same.
    if let methods = value["code_challenge_methods_supported"]?.array, !methods.contains("S256") {
      throw OpenIDRefusal(.provider, "the provider knows no PKCE by S256")
    }
  }

  /// A provider that is trusted by TLS leads to nothing that is not.
  private static func endpoint(
    _ name: String, of value: JSONValue, _ issuer: String
  ) throws(OpenIDRefusal) -> String {
    guard let url = value[name]?.string, url.utf8.count <= urlBytesMaximum, !url.contains("#"),
      SecureURL.isTLS(url) || (SecureURL.isOnLoopback(issuer) && SecureURL.isOnLoopback(url))
    else { throw OpenIDRefusal(.provider, "the provider's \(name) is missing, or no https URL") }
    return url
  }

  private static let urlBytesMaximum = 2_048
}
