package import NIOCore
package import NIOWebSocket

/// Puts the fragments of messages together, within bounds. Spec: RFC 6455, section 5.4.
package struct WebSocketMessageAssembler {
  /// Why the connection has to be closed.
  package struct Violation: Error, Equatable {
    package let code: WebSocketErrorCode
  }

  private var fragments: ByteBuffer?
  private var fragmentCount = 0
  private let bytesMaximum: Int
  private let fragmentsMaximum: Int

  package init(bytesMaximum: Int, fragmentsMaximum: Int) {
    self.bytesMaximum = bytesMaximum
    self.fragmentsMaximum = fragmentsMaximum
  }

  /// Takes a data frame; returns the message that it completes.
  package mutating func add(_ frame: WebSocketFrame) throws(Violation) -> ByteBuffer? {
    var payload = frame.data
    if let key = frame.maskKey { payload.webSocketUnmask(key) }
    switch frame.opcode {
    case .text:
      guard fragments == nil else { throw Violation(code: .protocolError) }
      guard !frame.fin else { return payload }
      fragments = payload
      fragmentCount = 1
    case .continuation:
      guard fragments != nil else { throw Violation(code: .protocolError) }
      fragmentCount += 1
      guard fragmentCount <= fragmentsMaximum else { throw Violation(code: .policyViolation) }
      guard (fragments?.readableBytes ?? 0) + payload.readableBytes <= bytesMaximum else {
        throw Violation(code: .messageTooLarge)
      }
      fragments?.writeImmutableBuffer(payload)
      guard frame.fin else { return nil }
      defer { fragments = nil }
      return fragments
    case .binary: throw Violation(code: .unacceptableData)
    default: throw Violation(code: .protocolError)
    }
    return nil
  }
}
