internal import Crypto
import TextEncoding

/// A name for collapsing that fits where little room is: itself, or the beginning of its digest.
enum ShortName {
  /// - Parameter isAllowed: false for a byte that the place does not take.
  static func of(_ name: String, bytesMaximum: Int, where isAllowed: (UInt8) -> Bool = { _ in true }) -> String {
    if !name.isEmpty, name.utf8.count <= bytesMaximum, name.utf8.allSatisfy(isAllowed) { return name }
    return String(Base64.encodeForURL(Array(SHA256.hash(data: Array(name.utf8)))).prefix(bytesMaximum))
  }
}
