import NIOCore

/// The end of a connection above the limit: an honest answer, before a word is read.
final class RefusingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    let failure = EdgeFailure.unavailable("The server has no room for another connection")
    let body = failure.body
    var buffer = context.channel.allocator.buffer(capacity: 384)
    ResponseSerializer.statusLine(failure.status, into: &buffer)
    HTTPConnectionHandler.writeFixedFields(into: &buffer)
    ResponseSerializer.fields(failure.fields, into: &buffer)
    ResponseSerializer.finishHead(.length(body.count), closing: true, into: &buffer)
    buffer.writeBytes(body)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    context.close(promise: nil)
  }
}
