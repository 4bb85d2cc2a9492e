package import HTTPTypes
package import Hummingbird
import TextEncoding

extension Request {
  /// The usable token of the header `Authorization: Bearer …`; without that header, the one that the session of the
  /// cookie acts as. Nil if nothing is shown that opens anything.
  /// - Throws: if a session is shown without the proof that a page of this server wants the change.
  package func shownToken(in tokens: TokenStore) throws(EdgeFailure) -> AccessToken? {
    if let authorization = headers[.authorization] {
      return TokenStore.bearer(of: authorization).flatMap { tokens.token(for: $0) }
    }
    guard let shown = ShownSession(self), let token = tokens.token(ofSession: shown.secret) else { return nil }
    guard method == .get || method == .head || hasAntiForgeryToken(of: shown.secret) else { throw .forged }
    return token
  }

  private func hasAntiForgeryToken(of secret: SessionSecret) -> Bool {
    guard let given = headers[.csrfToken] else { return false }
    return ConstantTime.equal(given, secret.antiForgeryToken)
  }

  /// - Throws: if the query string holds what opens something: it stands in logs and in histories by now.
  package func refuseTokenInURL() throws(EdgeFailure) {
    guard let query = uri.query else { return }
    for pair in query.split(separator: "&") {
      let written = pair.prefix { $0 != "=" }
      let name = (PathText.decode(written) ?? String(written)).lowercased()
      if EdgeFailure.secretParameters.contains(name) { throw .tokenInURL(name) }
    }
  }
}

extension EdgeFailure {
  static let forged = EdgeFailure.forbidden(
    "With a session, a change needs the header X-CSRF-Token, with what signing in has answered as csrf")

  /// Parameters of a query string that hold what opens something, in lower case.
  package static let secretParameters = ["token", "access_token", "code"]

  package static func tokenInURL(_ name: String) -> EdgeFailure {
    .badParameter(
      name, "has no place in a URL, which logs and histories keep: show a token in the header Authorization, or sign in"
    )
  }
}

extension HTTPField.Name {
  package static let csrfToken = HTTPField.Name("X-CSRF-Token")!
}
