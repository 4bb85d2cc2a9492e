package import NIOHTTP1
package import NetworkAddress

extension TokenStore {
  /// The usable token that an open session acts as, as it is now; whoever has none has something like one for as long as
  /// the session is open. The session is used by that.
  package func token(ofSession secret: SessionSecret) -> AccessToken? {
    let key = secret.key
    guard let sessions, let token = holder(ofSession: key) else { return nil }
    sessions.used(session: key)
    return token.shown(bySession: key)
  }

  /// Nil also if a session's token opens nothing any more, which is its end.
  private func holder(ofSession key: String) -> AccessToken? {
    guard let sessions, let holder = sessions.holder(ofSession: key) else { return nil }
    switch holder {
    case .person(let person): return person
    case .token(let id):
      guard let tokens = try? list() else { return nil }
      guard let token = tokens.first(where: { $0.id == id && $0.isUsable }) else {
        sessions.orphaned(session: key)
        return nil
      }
      return token
    }
  }

  /// The usable tokens, and those who are signed in without one.
  package func holders() throws(TokenStoreError) -> [AccessToken] {
    try list().filter(\.isUsable) + (sessions?.people ?? [])
  }

  /// Whether what showed this token still opens something: the token has not been revoked, and the session, if it was one,
  /// has not ended.
  package func isUsable(_ token: AccessToken) -> Bool {
    guard let session = token.session else { return isListed(token) }
    return holder(ofSession: session)?.id == token.id
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
