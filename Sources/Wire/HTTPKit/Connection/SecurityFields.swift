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
}
