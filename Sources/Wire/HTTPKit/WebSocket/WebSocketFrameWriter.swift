package import NIOCore
package import NIOWebSocket

/// Writes a server's frames: never masked, never fragmented. Spec: RFC 6455, section 5.2.
package enum WebSocketFrameWriter {
  package static func header(_ opcode: WebSocketOpcode, length: Int, into buffer: inout ByteBuffer) {
    buffer.writeInteger(0x80 | UInt8(webSocketOpcode: opcode))
    switch length {
    case 0..<126: buffer.writeInteger(UInt8(length))
    case 126..<65_536:
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(length))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(length))
    }
  }

  package static func close(_ code: WebSocketErrorCode, into buffer: inout ByteBuffer) {
    header(.connectionClose, length: 2, into: &buffer)
    buffer.write(webSocketErrorCode: code)
  }
}
