import NIOCore

/// Stands before a connection in the clear, where operators allow HTTP/2 there: its client shows by its first bytes whether
/// it knows that this server speaks it. Nothing is lost of one that does not. Spec: RFC 9113, 3.3.
final class HTTP2PrefaceHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: HTTPConnectionHandler
  private var bytes: ByteBuffer?

  init(before connection: HTTPConnectionHandler) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var read = unwrapInboundIn(data)
    var bytes = self.bytes ?? ByteBuffer()
    bytes.writeBuffer(&read)
    self.bytes = bytes
    let preface = HTTP2ConnectionHandler.preface
    let expected = UnsafeRawBufferPointer(start: preface.utf8Start, count: preface.utf8CodeUnitCount)
    let isPreface = bytes.withUnsafeReadableBytes { read in zip(read, expected).allSatisfy { $0 == $1 } }
    // Its time runs from the accept, whatever it is going to be.
    guard !isPreface || bytes.readableBytes >= expected.count else { return }
    if isPreface { connection.becomeHTTP2() }
    self.bytes = nil
    context.fireChannelRead(wrapInboundOut(bytes))
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
