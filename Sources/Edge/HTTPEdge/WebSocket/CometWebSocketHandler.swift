import Bayeux
import Engine
import NIOCore
import NIOWebSocket

/// One WebSocket of the Comet endpoint: text frames are JSON arrays of Bayeux messages, both ways.
///
///     open ──our close frame──> closing ──peer's close frame, or time──> closed
///       └──peer's close frame──> answered, closed
///
/// Spec: RFC 6455; Bayeux reference, 14.3.
///
/// Safe to share because all state is touched on the channel's event loop only; `send`, which the engine calls from
/// anywhere, does nothing but go there.
final class CometWebSocketHandler: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  private enum Phase { case open, leaving, closing, closed }

  private let services: EdgeServices
  private let residents: LoopResidents
  private let eventLoop: any EventLoop
  private let userKey: String?
  private let browserID: String?
  /// The bearer of the upgrade request: any frame may hold a handshake.
  private let accessToken: String?
  private var phase = Phase.open
  private var context: ChannelHandlerContext?
  private var place: DeadlineWheel<any LoopResident>.Place?
  private var exchange: CometExchange?
  private var assembler: WebSocketMessageAssembler
  /// Bytes that the client's socket has not taken yet.
  private var backlog = 0
  private var hasHeardFromPeer = true
  private var awaitsPong = false

  init(services: EdgeServices, residents: LoopResidents, userKey: String?, browserID: String?, accessToken: String?) {
    self.services = services
    self.residents = residents
    eventLoop = residents.eventLoop
    self.userKey = userKey
    self.browserID = browserID
    self.accessToken = accessToken
    assembler = WebSocketMessageAssembler(
      bytesMaximum: services.limits.webSocketMessageBytesMaximum,
      fragmentsMaximum: services.limits.webSocketFragmentsMaximum)
  }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    place = residents.add(self)
    exchange = services.engine.comet.open(
      self, transport: .webSocket, userKey: userKey, browserID: browserID, accessToken: accessToken)
    setDeadline(services.limits.webSocketPingInterval)
    if residents.isStopping { serverStops() }
  }

  func handlerRemoved(context: ChannelHandlerContext) { release() }

  func channelInactive(context: ChannelHandlerContext) {
    release()
    context.fireChannelInactive()
  }

  private func release() {
    guard let place else { return }
    residents.remove(place)
    self.place = nil
    phase = .closed
    context = nil
    if let exchange { services.engine.comet.closed(exchange) }
  }

  private func setDeadline(_ duration: Duration) {
    if let place { residents.setDeadline(of: place, after: duration) }
  }

  private func close() { context?.close(promise: nil) }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard phase != .closed else { return }
    let frame = unwrapInboundIn(data)
    hasHeardFromPeer = true
    awaitsPong = false
    guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return fail(.protocolError) }
    switch frame.opcode {
    case .connectionClose: peerCloses(frame)
    case .ping where phase != .closing: write(.pong, frame.unmaskedData)
    case .ping, .pong: break
    default:
      guard phase != .closing else { return }
      do throws(WebSocketMessageAssembler.Violation) {
        if let message = try assembler.add(frame) { received(message) }
      } catch {
        fail(error.code)
      }
    }
  }

  private func received(_ message: ByteBuffer) {
    services.metrics.countWebSocketMessage()
    guard let exchange else { return }
    switch HTTPConnectionHandler.decode(message) {
    case .success(let messages): services.engine.comet.received(messages, on: exchange)
    case .failure:
      let isText = message.withUnsafeReadableBytes { String(validating: $0, as: UTF8.self) != nil }
      fail(isText ? .unexpectedServerError : .dataInconsistentWithMessage)
    }
  }

  private func peerCloses(_ frame: WebSocketFrame) {
    guard phase != .closing else { return close() }
    var payload = frame.unmaskedData
    var code = WebSocketErrorCode.normalClosure
    if payload.readableBytes > 0 {
      if let given = payload.readWebSocketErrorCode(), Self.isPermitted(given) {
        code = given
        let isText = payload.withUnsafeReadableBytes { String(validating: $0, as: UTF8.self) != nil }
        if !isText { code = .dataInconsistentWithMessage }
      } else {
        code = .protocolError
      }
    }
    phase = .closing
    setDeadline(services.limits.webSocketCloseTimeout)
    var buffer = responseBuffer(capacity: 8)
    WebSocketFrameWriter.close(code, into: &buffer)
    write(buffer) { _ in self.close() }
  }

  /// Codes that may stand in a close frame. Spec: RFC 6455, section 7.4.
  private static func isPermitted(_ code: WebSocketErrorCode) -> Bool {
    switch UInt16(webSocketErrorCode: code) {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { return close() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Behind a frame that could not be read nothing can be; the closing handshake's deadline ends it.
    if phase == .closing, error is ByteToMessageDecoderError { return }
    switch error as? NIOWebSocketError {
    case .invalidFrameLength: fail(.messageTooLarge)
    case .fragmentedControlFrame, .multiByteControlFrameLength: fail(.protocolError)
    case nil: close()
    }
  }

  // MARK: To the client

  private func deliver(_ reply: CometReply) {
    guard phase == .open || phase == .leaving, context != nil else { return written(success: false) }
    let length = 2 + reply.messages.reduce(0) { $0 + $1.count } + max(0, reply.messages.count - 1)
    guard backlog + length <= services.limits.webSocketBacklogBytesMaximum else {
      written(success: false)
      return close()
    }
    var buffer = responseBuffer(capacity: length + 10)
    WebSocketFrameWriter.header(.text, length: length, into: &buffer)
    HTTPConnectionHandler.writeArray(reply.messages, into: &buffer)
    write(buffer) { self.written(success: $0) }
  }

  private func written(success: Bool) {
    if let exchange { services.engine.comet.written(exchange, success: success) }
  }

  private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer) {
    guard backlog <= services.limits.webSocketBacklogBytesMaximum else { return close() }
    var buffer = responseBuffer(capacity: payload.readableBytes + 10)
    WebSocketFrameWriter.header(opcode, length: payload.readableBytes, into: &buffer)
    buffer.writeImmutableBuffer(payload)
    write(buffer) { _ in }
  }

  private func write(_ frame: ByteBuffer, then done: @escaping @Sendable (_ success: Bool) -> Void) {
    guard let context else { return done(false) }
    let length = frame.readableBytes
    backlog += length
    let promise = eventLoop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { result in
      self.backlog -= length
      if case .success = result { done(true) } else { done(false) }
    }
    context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
  }

  private func responseBuffer(capacity: Int) -> ByteBuffer {
    context?.channel.allocator.buffer(capacity: capacity) ?? ByteBufferAllocator().buffer(capacity: capacity)
  }

  /// Says why, and waits a little for the client to say that it has heard.
  private func fail(_ code: WebSocketErrorCode) {
    guard phase == .open || phase == .leaving else { return }
    phase = .closing
    setDeadline(services.limits.webSocketCloseTimeout)
    var buffer = responseBuffer(capacity: 8)
    WebSocketFrameWriter.close(code, into: &buffer)
    write(buffer) { _ in }
  }
}

extension CometWebSocketHandler: CometSink {
  func send(_ reply: CometReply) {
    if eventLoop.inEventLoop {
      deliver(reply)
    } else {
      eventLoop.execute { self.deliver(reply) }
    }
  }
}

extension CometWebSocketHandler: LoopResident {
  func deadlinePassed() {
    switch phase {
    case .open:
      if hasHeardFromPeer {
        hasHeardFromPeer = false
      } else if awaitsPong {
        return close()
      } else {
        awaitsPong = true
        write(.ping, ByteBuffer())
      }
      setDeadline(services.limits.webSocketPingInterval)
    case .leaving: fail(.goingAway)
    case .closing: close()
    case .closed: break
    }
  }

  /// The engine's farewell goes first: the connect that it holds is answered with an advice.
  func serverStops() {
    guard phase == .open else { return }
    phase = .leaving
    setDeadline(services.limits.drainTimeout)
  }

  func cut() { close() }
}
