import TextEncoding

/// Name and password of HTTP Basic. Spec: RFC 7617; GMS 2.5.
package struct BasicCredentials: Equatable {
  package let username: String
  package let password: String

  package init(username: String, password: String) {
    self.username = username
    self.password = password
  }

  /// - Parameter header: the value of `Authorization`; nil for another scheme or a malformed value.
  package init?(authorization header: String?) {
    guard let header, let blank = header.firstIndex(of: " "), header[..<blank].lowercased() == "basic",
      let bytes = Base64.decode(header[header.index(after: blank)...].drop { $0 == " " }),
      let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
    else { return nil }
    username = String(text[..<colon])
    password = String(text[text.index(after: colon)...])
  }

  /// Takes as long for a wrong name as for a wrong last character of the password.
  package func matches(_ expected: BasicCredentials) -> Bool {
    let sameName = ConstantTime.equal(username, expected.username)
    let samePassword = ConstantTime.equal(password, expected.password)
    return sameName && samePassword
  }
}
