package import NIOCore
package import NIOWebSocket

/// What a client's frame says.
package enum WebSocketInput {
  /// A message, or the last fragment of one.
  case message(ByteBuffer)
  case ping(ByteBuffer)
  case close(ByteBuffer)
  /// A fragment, or the answer to a ping.
  case nothing
  /// Something that ends the connection.
  case violation(WebSocketErrorCode)
}

extension WebSocketMessageAssembler {
  /// Takes any frame. Clients mask theirs, and nobody has agreed on what the reserved bits say. Spec: RFC 6455, 5.1, 5.2.
  package mutating func read(_ frame: WebSocketFrame) -> WebSocketInput {
    guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return .violation(.protocolError) }
    switch frame.opcode {
    case .connectionClose: return .close(frame.unmaskedData)
    case .ping: return .ping(frame.unmaskedData)
    case .pong: return .nothing
    default:
      do throws(Violation) {
        return try add(frame).map { .message($0) } ?? .nothing
      } catch {
        return .violation(error.code)
      }
    }
  }
}

extension NIOWebSocketError {
  /// What the client is told whose frame cannot be read.
  package var closeCode: WebSocketErrorCode {
    switch self {
    case .invalidFrameLength: .messageTooLarge
    case .fragmentedControlFrame, .multiByteControlFrameLength: .protocolError
    }
  }
}
