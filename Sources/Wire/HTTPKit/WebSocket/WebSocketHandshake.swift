import Crypto
import HTTPTypes
package import NIOHTTP1
import TextEncoding

/// The opening handshake, the server's side. Spec: RFC 6455, section 4.2.
///
/// Done here because NIO's own upgrade handler drops requests that ask for an upgrade and do not get it.
package struct WebSocketHandshake {
  package static let version = "13"

  /// The value of `Sec-WebSocket-Accept`; nil over HTTP/2, where nobody asks for it. Spec: RFC 8441, 5.
  package let accept: String?

  /// Whether the request asks for a WebSocket at all, well or badly.
  package static func isWanted(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && has("websocket", in: head.headers[canonicalForm: "upgrade"])
      && has("upgrade", in: head.headers[canonicalForm: "connection"])
  }

  package init(_ head: HTTPRequestHead) throws(EdgeFailure) {
    guard head.headers.first(name: "sec-websocket-version") == Self.version else {
      throw EdgeFailure(.upgradeRequired, "WebSocket version 13 is spoken here", exception: "UpgradeException")
    }
    guard head.version.major < 2 else {
      accept = nil
      return
    }
    let keys = head.headers[canonicalForm: "sec-websocket-key"]
    guard keys.count == 1, let bytes = Base64.decode(keys[0]), bytes.count == 16 else {
      throw .malformed("Sec-WebSocket-Key is missing or malformed")
    }
    accept = Self.accept(for: String(keys[0]))
  }

  static func accept(for key: String) -> String {
    Base64.encode(Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  private static func has(_ token: String, in values: [Substring]) -> Bool {
    values.contains { $0.lowercased() == token }
  }
}
