extension TokenStore {
  /// The sender that a key belongs to; nil for a key that is none, or has been revoked.
  ///
  /// Asked for every message, so the token file is looked at only now and then: a revocation holds after
  /// `EdgeLimits.senderKeyStaleness`. A new key is good at once. Any thread.
  public func sender(forKey key: String) -> SenderIdentity? {
    guard key.utf8.count <= EdgeLimits.secretBytesMaximum else { return nil }
    // Looked up by its hash: how long that takes tells nothing about the keys that there are.
    let digest = Self.digest(of: key)
    return sender { $0.byDigest[digest] }
  }

  /// The sender that the header `Authorization` stands for: `key=KEY`, `Bearer KEY`, or `Bearer` and an access token
  /// from `makeAccessToken`. Spec: GCM B1.1, E2.
  public func sender(authorization: String?) -> SenderIdentity? {
    guard let authorization else { return nil }
    if let key = Self.remainder(of: authorization, behind: "key=") { return sender(forKey: key) }
    guard let secret = Self.bearer(of: authorization) else { return nil }
    guard secret.hasPrefix(ShortLivedToken.prefix) else { return sender(forKey: secret) }
    guard let id = shortLived.tokenID(of: secret, now: now()) else { return nil }
    return sender { $0.byTokenID[id] }
  }

  /// The sender whose project this is, by its project id or its sender id; nil if no usable key is one's.
  public func sender(ofProject project: String) -> String? {
    sender { table in
      let all = table.byTokenID.values
      return (all.first { $0.projectID == project } ?? all.first { $0.sender == project })?.sender
    }
  }

  /// Whether there is a usable key of this sender.
  public func isSender(_ id: String) -> Bool {
    sender { $0.byTokenID.values.first { $0.sender == id } } != nil
  }

  /// Whether a usable key of this sender is in test mode.
  package func isTestSender(_ sender: String) -> Bool {
    senders().byTokenID.values.contains { $0.sender == sender && $0.isTest }
  }

  /// Stands for the key of this sender for `ShortLivedToken.lifetimeSeconds`, or until the key is revoked.
  package func makeAccessToken(for identity: SenderIdentity) -> String {
    shortLived.make(for: identity.tokenID, now: now())
  }

  /// The usable token whose service account has this address.
  package func serviceAccount(_ email: String) -> (ServiceAccount, SenderIdentity)? {
    guard let tokens = try? list() else { return nil }
    for token in tokens where token.isUsable && token.sender?.account?.email == email {
      guard let account = token.sender?.account, let identity = SenderIdentity(token) else { continue }
      return (account, identity)
    }
    return nil
  }

  /// The secret in the header `Authorization: Bearer …`; nil for another scheme.
  package static func bearer(of authorization: String?) -> String? {
    authorization.flatMap { remainder(of: $0, behind: "bearer ") }
  }

  /// - Parameter scheme: in lower case.
  private static func remainder(of header: String, behind scheme: StaticString) -> String? {
    // By bytes: it is asked for with each request, and no scheme has others.
    var rest = header.utf8[...]
    let isMeant = scheme.withUTF8Buffer { scheme in
      scheme.allSatisfy { expected in
        guard let byte = rest.popFirst() else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 == expected : byte == expected
      }
    }
    guard isMeant else { return nil }
    rest = rest.drop { $0 == UInt8(ascii: " ") }
    return rest.isEmpty ? nil : String(Substring(rest))
  }
}

/// The usable senders' keys, ready to be looked up.
package struct SenderTable: Sendable {
  package private(set) var byDigest: [[UInt8]: SenderIdentity] = [:]
  package private(set) var byTokenID: [String: SenderIdentity] = [:]

  package init(_ tokens: [AccessToken]) {
    for token in tokens where token.isUsable {
      guard let identity = SenderIdentity(token) else { continue }
      byDigest[token.digest] = identity
      byTokenID[token.id] = identity
    }
  }
}
