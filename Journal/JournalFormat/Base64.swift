#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Base64 as PEM files have it. Spec: RFC 4648, section 4, with padding.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Nil unless `text` is exactly what `encode` makes of some bytes: one text, one meaning.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    return Array(data)
  }
}
