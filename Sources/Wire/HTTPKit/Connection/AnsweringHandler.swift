package import NIOCore
package import ServerKit

/// A connection of which somebody may ask whether its last response has come.
package protocol AnsweringHandler: ResidentHandler {
  /// Nil once the connection is gone.
  var context: ChannelHandlerContext? { get }
  var isTLS: Bool { get }
  /// What became of that response.
  var arrival: ResponseArrival { get set }
  /// Whether that response has come as far as the client's machine; nil if it may still come.
  var hasArrived: Bool? { get }
}

extension AnsweringHandler {
  package var hasArrived: Bool? { arrival.hasArrived(context) }

  package func channelInactive(context: ChannelHandlerContext) {
    // With TLS a farewell does not come as far as here.
    arrival.end(wasReset: !isTLS, nil)
    release()
    context.fireChannelInactive()
  }

  package func close() {
    arrival.end(wasReset: false, context)
    context?.close(promise: nil)
  }

  package func responseBuffer(capacity: Int) -> ByteBuffer {
    context?.channel.allocator.buffer(capacity: capacity) ?? ByteBufferAllocator().buffer(capacity: capacity)
  }
}
