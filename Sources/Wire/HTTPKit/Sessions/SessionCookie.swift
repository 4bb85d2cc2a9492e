import HTTPTypes

/// The cookie of a signed-in browser. Spec: RFC 6265, 4.1 and 4.2.
package enum SessionCookie {
  package static let name = "carillon_session"

  /// `Set-Cookie` of a session that lasts at most so long.
  /// - Parameter isSecure: the browser's own connection is by TLS: it is to send the cookie by no other.
  package static func field(_ secret: SessionSecret, seconds: Int64, isSecure: Bool) -> String {
    field(secret.text, seconds: seconds, isSecure)
  }

  /// `Set-Cookie` that takes it away.
  package static func cleared(isSecure: Bool) -> String { field("", seconds: 0, isSecure) }

  private static func field(_ value: String, seconds: Int64, _ isSecure: Bool) -> String {
    "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)\(isSecure ? "; Secure" : "")"
  }

  /// The secret in the values of `Cookie`. Nil also if there are two: which of them somebody has slipped in, nobody can
  /// tell.
  package static func secret(in headers: some Sequence<some StringProtocol>) -> SessionSecret? {
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
