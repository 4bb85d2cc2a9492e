import TextEncoding

/// Parts of a request's path, as they are meant.
package enum PathText {
  /// `%` and two hexadecimal digits are a byte of UTF-8; nil if that is not what it holds. Unlike in a form, `+` is
  /// nothing but itself. Spec: RFC 3986, 2.1.
  package static func decode(_ text: some StringProtocol) -> String? {
    let plus = UInt8(ascii: "+")
    return RequestParameters.decodeText(text.utf8.flatMap { $0 == plus ? Array("%2B".utf8) : [$0] })
  }

  /// The reverse of `decode`.
  package static func encode(_ text: String) -> String { PercentEncoding.encode(text) }
}
