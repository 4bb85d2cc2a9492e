package import HTTPTypes
package import NIOCore

/// Writes HTTP/1.1 responses as bytes, so that head and body leave in one write.
///
/// Spec: RFC 9112, message format.
package enum ResponseSerializer {
  package enum Framing {
    /// The body's length; for HEAD the length that GET would have had.
    case length(Int)
    case chunked
    /// No body and no length (1xx, 204, 304), or a body that lasts until the connection closes (HTTP/1.0).
    case none
  }

  package static func statusLine(_ status: HTTPResponse.Status, into buffer: inout ByteBuffer) {
    buffer.writeStaticString("HTTP/1.1 ")
    buffer.writeString(String(status.code))
    buffer.writeStaticString(" ")
    buffer.writeString(status.reasonPhrase)
    buffer.writeStaticString("\r\n")
  }

  package static func fields(_ fields: HTTPFields, into buffer: inout ByteBuffer) {
    for field in fields {
      // These are the connection's own business.
      switch field.name {
      case .contentLength, .transferEncoding, .connection, .xContentTypeOptions: continue
      default: break
      }
      buffer.writeString(field.name.rawName)
      buffer.writeStaticString(": ")
      buffer.writeString(field.value)
      buffer.writeStaticString("\r\n")
    }
  }

  /// What every JSON answer carries. Spec: GMS 2.2.
  package static func fixedFields(
    _ contentType: StaticString = "application/json;charset=UTF-8", into buffer: inout ByteBuffer
  ) {
    buffer.writeStaticString("Content-Type: ")
    buffer.writeStaticString(contentType)
    buffer.writeStaticString(
      """
      \r
      Cache-Control: no-cache, no-store\r
      Pragma: no-cache\r\n
      """)
  }

  /// Writes what every answer has, the framing fields and the blank line.
  package static func finishHead(
    _ framing: Framing, closing: Bool, _ security: SecurityFields, into buffer: inout ByteBuffer
  ) {
    security.write(into: &buffer)
    switch framing {
    case .length(let length):
      buffer.writeStaticString("Content-Length: ")
      buffer.writeString(String(length))
      buffer.writeStaticString("\r\n")
    case .chunked: buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
    case .none: break
    }
    if closing { buffer.writeStaticString("Connection: close\r\n") }
    buffer.writeStaticString("\r\n")
  }

  package static func chunk(_ part: ByteBuffer, into buffer: inout ByteBuffer) {
    guard part.readableBytes > 0 else { return }  // an empty chunk would end the body
    buffer.writeString(String(part.readableBytes, radix: 16))
    buffer.writeStaticString("\r\n")
    buffer.writeImmutableBuffer(part)
    buffer.writeStaticString("\r\n")
  }

  package static func lastChunk(into buffer: inout ByteBuffer) { buffer.writeStaticString("0\r\n\r\n") }
}
