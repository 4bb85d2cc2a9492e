import HTTPTypes

/// The cookie of a signed-in browser. Spec: RFC 6265, 4.1 and 4.2.
package enum SessionCookie {
  package static let name = "carillon_session"

  /// `Set-Cookie` of a session that lasts at most so long.
  /// - Parameter isSecure: the browser's own connection is by TLS: it is to send the cookie by no other.
  package static func field(_ secret: SessionSecret, seconds: Int64, isSecure: Bool) -> String {
    field(name, secret.text, path: "/", sameSite: "Strict", seconds: seconds, isSecure)
  }

  /// `Set-Cookie` that takes it away.
  package static func cleared(isSecure: Bool) -> String {
    field(name, "", path: "/", sameSite: "Strict", seconds: 0, isSecure)
  }

  /// `Set-Cookie` of another secret, which also comes back with a page that another site's has led to.
  /// - Parameter path: where it comes back to.
  package static func field(
    named name: String, _ secret: SessionSecret, path: String, seconds: Int64, isSecure: Bool
  ) -> String { field(name, secret.text, path: path, sameSite: "Lax", seconds: seconds, isSecure) }

  private static func field(
    _ name: String, _ value: String, path: String, sameSite: String, seconds: Int64, _ isSecure: Bool
  ) -> String {
    "\(name)=\(value); Path=\(path); HttpOnly; SameSite=\(sameSite); Max-Age=\(seconds)\(isSecure ? "; Secure" : "")"
  }

  /// The secret in the values of `Cookie`. Nil also if there are two: which of them somebody has slipped in, nobody can
  /// tell.
  /// - Parameter name: of the cookie: another one may hold such a secret too.
  package static func secret(
    in headers: some Sequence<some StringProtocol>, named name: String = name
  ) -> SessionSecret? {
    var found: SessionSecret?
    for header in headers {
      for pair in header.split(separator: ";") {
        let pair = pair.drop { $0 == " " || $0 == "\t" }
        guard pair.hasPrefix(name + "=") else { continue }
        guard found == nil, let secret = SessionSecret(pair.dropFirst(name.utf8.count + 1)) else { return nil }
        found = secret
      }
    }
    return found
  }
}
