package import NIOHTTP1
package import NetworkAddress

extension TokenStore {
  /// The usable token that an open session acts as, as it is now. The session is used by that.
  package func token(ofSession secret: SessionSecret) -> AccessToken? {
    let key = secret.key
    guard let sessions, let id = sessions.tokenID(ofSession: key), let tokens = try? list() else { return nil }
    guard let token = tokens.first(where: { $0.id == id && $0.isUsable }) else {
      sessions.orphaned(session: key)
      return nil
    }
    sessions.used(session: key)
    return token.shown(bySession: key)
  }

  /// Whether what showed this token still opens something: the token has not been revoked, and the session, if it was one,
  /// has not ended.
  package func isUsable(_ token: AccessToken) -> Bool {
    guard let tokens = try? list(), let session = token.session else { return isListed(token) }
    guard tokens.contains(where: { $0.id == token.id && $0.isUsable }) else {
      sessions?.orphaned(session: session)
      return false
    }
    return sessions?.tokenID(ofSession: session) == token.id
  }

  /// As the other; and something is being done, so that a session counts as used.
  package func mayAct(_ token: AccessToken) -> Bool {
    guard isUsable(token) else { return false }
    if let session = token.session { sessions?.used(session: session) }
    return true
  }

  private func isListed(_ token: AccessToken) -> Bool {
    (try? list())?.contains { $0.id == token.id && $0.isUsable } == true
  }

  /// Notes where a request of a session comes from, if it shows one.
  package func noteVisit(_ head: HTTPRequestHead, from address: IPAddress?) {
    guard let sessions, let shown = ShownSession(head) else { return }
    sessions.visited(
      session: shown.secret.key,
      from: SessionVisit(address: address, userAgent: head.headers.first(name: "user-agent")))
  }
}
