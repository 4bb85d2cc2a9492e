#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// Base64 in both of its alphabets. Spec: RFC 4648, 4 and 5.
enum WebBase64 {
  /// Reads either alphabet, with padding or without; nil if it is neither.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
    while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(bytes)).map { Array($0) }
  }

  static func encode(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

  /// With `-` and `_`, without padding.
  static func encodeForURL(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: encode(bytes).utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
      }, as: UTF8.self)
  }
}
