package import NIOCore

/// The header fields that every answer has, whoever gives it: nobody guesses at what an answer is, and browsers come
/// back by TLS if the operator wants that.
package struct SecurityFields: Sendable {
  /// As on the wire, with the line's end.
  private let bytes: [UInt8]

  /// - Parameter strictTransportSeconds: how long browsers remember that this server speaks TLS; 0 says nothing of it.
  ///   Spec: RFC 6797, 6.1.
  package init(strictTransportSeconds: Int = 0) {
    var text = "X-Content-Type-Options: nosniff\r\n"
    if strictTransportSeconds > 0 { text += "Strict-Transport-Security: max-age=\(strictTransportSeconds)\r\n" }
    bytes = Array(text.utf8)
  }

  package func write(into buffer: inout ByteBuffer) { buffer.writeBytes(bytes) }

  /// What answers have beside that which browsers show: nothing of them runs that is not a file of this server, nobody
  /// frames them, and nobody hears where they were. Spec: Content Security Policy 3; Permissions Policy.
  package static func writeOfPages(into buffer: inout ByteBuffer) {
    buffer.writeStaticString(
      """
      Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
      object-src 'none'; img-src 'self' data: blob:\r
      X-Frame-Options: DENY\r
      Referrer-Policy: no-referrer\r
      Cross-Origin-Opener-Policy: same-origin\r
      Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\r

      """)
  }
}
