package import NIOHTTP1
package import NetworkAddress
import Synchronization

extension TokenStore {
  /// The usable token that an open session acts as, as it is now; whoever has none has something like one for as long as
  /// the session is open. The session is used by that.
  package func token(ofSession secret: SessionSecret) -> AccessToken? {
    let key = secret.key
    guard let sessions, let token = holder(ofSession: key) else { return nil }
    sessions.used(session: key)
    return token.shown(bySession: key)
  }

  /// Nil also if a session's token opens nothing any more, or a token has the name of whoever has none: that is its end.
  private func holder(ofSession key: String) -> AccessToken? {
    guard let sessions, let holder = sessions.holder(ofSession: key) else { return nil }
    guard let tokens = try? list() else { return nil }
    switch holder {
    case .person(let person):
      guard !tokens.contains(where: { $0.isUsable && $0.name == person.name }) else {
        sessions.superseded(session: key)
        return nil
      }
      return person
    case .token(let id):
      guard let token = tokens.first(where: { $0.id == id && $0.isUsable }) else {
        sessions.orphaned(session: key)
        return nil
      }
      return token
    }
  }

  /// The usable tokens, and those who are signed in without one. Of a name that both have, the token: the session is
  /// over.
  package func holders() throws(TokenStoreError) -> [AccessToken] {
    let usable = try list().filter(\.isUsable)
    let names = Set(usable.map(\.name))
    return usable + (sessions?.people ?? []).filter { !names.contains($0.name) }
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

// MARK: A name is one holder's

/// That somebody is just being signed in with a name, in so many browsers.
struct NameClaim: Sendable {
  let id: String
  var count = 0
}

extension TokenStore {
  /// Keeps a name for somebody whom a provider has vouched for, until it is given back: meanwhile nobody else takes it,
  /// neither by signing in nor for a token. Waits for the file: not for the cooperative pool.
  /// - Parameter id: of the holder, who may have it already.
  /// - Throws: `.nameTaken` if it is somebody else's.
  package func claim(_ name: String, for id: String) throws(TokenStoreError) {
    try file.locked { () throws(TokenStoreError) in
      guard try !file.read().tokens.contains(where: { $0.isUsable && $0.name == name }) else {
        throw TokenStoreError(.nameTaken, "there is a usable token named \(name)")
      }
      try requireNobody(called: name, but: id)
      claims.withLock { $0[name, default: NameClaim(id: id)].count += 1 }
    }
  }

  /// Follows `claim`, once whoever has the name is signed in or is not to be.
  package func giveBack(_ name: String) {
    claims.withLock { claims in
      claims[name]?.count -= 1
      if claims[name]?.count == 0 { claims[name] = nil }
    }
  }

  /// To be asked under the file's lock, which is what makes looking and taking one step.
  /// - Throws: `.nameTaken` if somebody else is signed in without a token by this name, or is just being so.
  func requireNobody(called name: String, but id: String) throws(TokenStoreError) {
    let claimant = claims.withLock { $0[name]?.id }
    guard claimant ?? id == id, sessions?.people.contains(where: { $0.name == name && $0.id != id }) != true else {
      throw TokenStoreError(.nameTaken, "somebody who is signed in by the provider is named \(name)")
    }
  }
}
