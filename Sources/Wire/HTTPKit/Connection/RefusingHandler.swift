package import NIOCore

/// The end of a connection above the limit: an honest answer, before a word is read.
package final class RefusingHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private let failure: EdgeFailure
  private let security: SecurityFields

  package init(_ failure: EdgeFailure, security: SecurityFields) {
    self.failure = failure
    self.security = security
  }

  package func channelActive(context: ChannelHandlerContext) {
    let body = failure.body
    var buffer = context.channel.allocator.buffer(capacity: 384)
    ResponseSerializer.statusLine(failure.status, into: &buffer)
    ResponseSerializer.fixedFields(into: &buffer)
    ResponseSerializer.fields(failure.fields, into: &buffer)
    ResponseSerializer.finishHead(.length(body.count), closing: true, security, into: &buffer)
    buffer.writeBytes(body)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    context.close(promise: nil)
  }
}
