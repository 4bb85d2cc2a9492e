import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// A stream of an HTTP/2 connection as the `HTTPConnectionHandler` above it sees it: the parts of one request, and an
/// answer that goes out in the bytes that it writes. Spec: RFC 9113, 8.1.
final class HTTP2StreamHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = HTTP2Frame.FramePayload

  /// How far one direction is.
  private enum Progress { case head, body, ended }

  let connection: HTTP2ConnectionHandler
  private let place: HTTP2StreamPlace
  /// Why there is no room for it.
  let judgement: HTTPJudgement
  /// Who takes the request; nil once the stream has ended.
  var request: HTTPConnectionHandler?
  private var incoming = Progress.head
  private var outgoing = Progress.head
  /// What is written next is the last of the answer.
  private var isAtEnd = false
  /// The request is for a WebSocket: what follows its head is none of it.
  private(set) var asksForTunnel = false
  /// It has become one: bytes go both ways.
  private var isTunnel = false

  init(connection: HTTP2ConnectionHandler, place: HTTP2StreamPlace, refusal: EdgeFailure?) {
    self.connection = connection
    self.place = place
    judgement = HTTPJudgement(refusal)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    request = nil
    connection.leave(place)
  }

  // MARK: The request

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .headers(let block): received(block, context)
    case .data(let part): received(part, context)
    case .alternativeService, .goAway, .origin, .ping, .priority, .pushPromise, .rstStream, .settings, .windowUpdate:
      break  // the connection's business
    }
  }

  private func received(_ block: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext) {
    guard incoming == .head else { return ended(context) }  // trailers, which nobody asks for
    incoming = .body
    do throws(HTTPRequestFlaw) {
      guard let request else { return }
      let head = try HTTP2RequestHead.read(block.headers, request.services.connectionLimits)
      asksForTunnel = WebSocketHandshake.isWanted(head)
      request.received(.head(head))
      if asksForTunnel { request.received(.end(nil)) }
    } catch {
      request?.stumbles(over: error)
    }
    if block.endStream { ended(context) }
  }

  private func received(_ part: HTTP2Frame.FramePayload.Data, _ context: ChannelHandlerContext) {
    if case .byteBuffer(let bytes) = part.data, bytes.readableBytes > 0 {
      if isTunnel {
        context.fireChannelRead(wrapInboundOut(bytes))
      } else if !asksForTunnel {
        request?.received(.body(bytes))
      }
    }
    if part.endStream { ended(context) }
  }

  private func ended(_ context: ChannelHandlerContext) {
    incoming = .ended
    if isTunnel {
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    } else if !asksForTunnel {
      request?.received(.end(nil))
    }
  }

  /// The machine of a request is told by its parts alone.
  func channelReadComplete(context: ChannelHandlerContext) {
    if isTunnel { context.fireChannelReadComplete() }
  }

  /// What is written next is the head that opens the tunnel; another handler takes over.
  func becomesTunnel() {
    isTunnel = true
    request = nil
  }

  // MARK: The answer

  /// What is written next is the last of the answer.
  func endsWithNextWrite() { isAtEnd = true }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var bytes = unwrapOutboundIn(data)
    switch outgoing {
    case .head:
      let head = HTTP2ResponseHead(takenFrom: &bytes)
      if !head.isInterim { outgoing = isAtEnd ? .ended : .body }
      let isAll = bytes.readableBytes == 0
      context.write(
        wrapOutboundOut(.headers(.init(headers: head.fields, endStream: isAll && outgoing == .ended))),
        promise: isAll ? promise : nil)
      if !isAll { write(bytes, context, promise) }
    case .body:
      if isAtEnd { outgoing = .ended }
      write(bytes, context, promise)
    case .ended: promise?.fail(ChannelError.outputClosed)
    }
  }

  private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    context.write(
      wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: outgoing == .ended))), promise: promise)
  }

  /// A tunnel's end is said, as a connection's is.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard isTunnel, outgoing == .body else { return end(context, promise) }
    outgoing = .ended
    write(ByteBuffer(), context, nil)
    context.flush()
    // NIO writes behind what is being read; only what the client has no window for is left behind.
    context.eventLoop.assumeIsolated().execute { self.end(context, promise) }
  }

  /// An answer that is whole ends a request that is not: nobody reads the rest. Whatever else is closed is broken off.
  private func end(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    guard outgoing == .ended, incoming != .ended else { return context.close(mode: .all, promise: promise) }
    incoming = .ended
    context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: promise)
  }
}
