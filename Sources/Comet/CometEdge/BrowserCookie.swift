import NIOCore
import NIOHTTP1

/// The cookie that tells browsers apart. Spec: Bayeux 1.0, "Multiple clients operation".
enum BrowserCookie {
  static let name = "BAYEUX_BROWSER"

  /// Nil if the request has none, or one that we cannot have made.
  static func read(_ headers: HTTPHeaders) -> String? {
    for header in headers["cookie"] {
      for pair in header.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { continue }
        let value = pair[pair.index(after: equals)...]
        guard (1...64).contains(value.utf8.count), value.utf8.allSatisfy(isAlphanumeric) else { continue }
        return String(value)
      }
    }
    return nil
  }

  /// The header line. Pages of other origins are sent it over TLS only, where `SameSite=None` may stand.
  static func write(_ browserID: String, isSecure: Bool, into buffer: inout ByteBuffer) {
    buffer.writeStaticString("Set-Cookie: BAYEUX_BROWSER=")
    buffer.writeString(browserID)
    buffer.writeStaticString("; Path=/; HttpOnly")
    if isSecure { buffer.writeStaticString("; Secure; SameSite=None") }
    buffer.writeStaticString("\r\n")
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
