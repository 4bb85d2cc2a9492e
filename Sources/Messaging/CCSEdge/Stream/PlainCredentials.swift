import TextEncoding

/// What a client says in SASL PLAIN: `[authorization id] NUL user NUL password`. Spec: RFC 4616; GCM C2.
struct PlainCredentials: Equatable {
  /// `<sender>` of `<sender>@gcm.googleapis.com`.
  let sender: String
  /// The API key.
  let password: String

  /// - Parameters:
  ///   - message: as it stands in the stanza: Base64, or `=` for nothing.
  ///   - domains: what may stand behind the `@`.
  init(message: [UInt8], domains: [String]) throws(LoginFailure) {
    guard let bytes = Self.decode(message) else { throw .incorrectEncoding }
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count == 3, let authorization = String(validating: parts[0], as: UTF8.self),
      let user = String(validating: parts[1], as: UTF8.self),
      let password = String(validating: parts[2], as: UTF8.self), !user.isEmpty, !password.isEmpty
    else { throw .malformedRequest }
    guard let sender = Self.sender(of: user, domains: domains) else { throw .notAuthorized }
    // Nobody may act for somebody else.
    guard authorization.isEmpty || Self.sender(of: authorization, domains: domains) == sender else {
      throw .invalidAuthzid
    }
    self.sender = sender
    self.password = password
  }

  private static func sender(of user: String, domains: [String]) -> String? {
    let parts = user.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let sender = parts.first, !sender.isEmpty else { return nil }
    return parts.count == 1 || domains.contains(parts[1].lowercased()) ? String(sender) : nil
  }

  /// RFC 4648, 4, and nothing but: other alphabets, blanks and missing padding are errors. Spec: RFC 6120, 13.9.1.
  private static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return text == [UInt8(ascii: "=")] ? [] : nil }
    let padding = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    return Base64.decode(digits: text.dropLast(padding), .standard)
  }
}
