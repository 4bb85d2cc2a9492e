import EventSourcing
import TextEncoding

/// One-time links to the console.
extension TokenStore {
  /// How long the code of a link is good.
  public static let codeLifetimeSeconds: Int64 = 300

  /// Makes a code that signs the holder of a token in: once, and for `codeLifetimeSeconds`.
  /// - Parameter idOrName: of a usable token whose role has a part in the console.
  /// - Returns: the code, which can never be shown again.
  public func makeCode(for idOrName: String) throws(TokenStoreError) -> (code: String, token: AccessToken) {
    let code = "csc_" + Base64.encodeForURL(Self.randomBytes(32))
    return try file.locked { () throws(TokenStoreError) in
      var content = try file.read()
      let token = content.tokens[try Self.place(of: idOrName, in: content.tokens)]
      guard token.role.mayUseConsole else {
        throw TokenStoreError(.invalidRole, "a token of the role \(token.role.rawValue) has no part in the console")
      }
      let time = now()
      content.codes.removeAll { $0.expiresAt <= time }
      guard content.codes.count < EdgeLimits.signInCodesMaximum else {
        throw TokenStoreError(.limitReached, "there are \(content.codes.count) links already that nobody has used")
      }
      content.codes.append(
        SignInCode(
          digest: Self.digest(of: code), tokenID: token.id,
          expiresAt: time.advanced(by: .seconds(Self.codeLifetimeSeconds))))
      try file.replace(by: content)
      return (code, token)
    }
  }

  /// Uses a code up: once this has returned, or a crash came after it, the code is good for nobody.
  ///
  /// Reads, writes and syncs: not for the cooperative pool.
  /// - Returns: the usable token whose holder it signs in, and the code's hash; nil for a code that is none, is used, or
  ///   has come too late.
  package func redeem(_ code: String) throws(TokenStoreError) -> (token: AccessToken, hash: String)? {
    guard code.utf8.count <= EdgeLimits.secretBytesMaximum else { return nil }
    let digest = Self.digest(of: code)
    // Whoever guesses is not to make us write.
    guard try file.read().codes.contains(where: { ConstantTime.equal($0.digest, digest) }) else { return nil }
    return try file.locked { () throws(TokenStoreError) in
      var content = try file.read()
      guard let place = content.codes.firstIndex(where: { ConstantTime.equal($0.digest, digest) }) else { return nil }
      let found = content.codes.remove(at: place)
      try file.replace(by: content)
      guard found.expiresAt > now(),
        let token = content.tokens.first(where: { $0.id == found.tokenID && $0.isUsable })
      else { return nil }
      return (token, Hexadecimal.encode(digest))
    }
  }
}
