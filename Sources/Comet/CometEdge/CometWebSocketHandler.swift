import Bayeux
import CometEngine
import EdgeSecurity
import EngineKit
import HTTPKit
import NIOCore
import NIOWebSocket
import NetworkAddress
import ServerKit

/// One WebSocket of the Comet endpoint: text frames are JSON arrays of Bayeux messages, both ways.
///
///     open ──our close frame──> closing ──peer's close frame, or time──> closed
///       └──peer's close frame──> answered, closed
///
/// Spec: RFC 6455; Bayeux reference, 14.3.
///
/// Safe to share because all state is touched on the channel's event loop only; `send`, which the engine calls from
/// anywhere, does nothing but go there.
final class CometWebSocketHandler: CometConnection, @unchecked Sendable {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  private enum Phase { case open, leaving, closing, closed }

  private let gateway: CometGateway
  private let services: HTTPServices
  private var residency: Residency
  let eventLoop: any EventLoop
  /// Whose it is: by the upgrade request, or since a message has proven it.
  private var caller: Caller
  private let browserID: String?
  private let address: IPAddress?
  // One byte each, together: between words each takes a word, for each socket.
  private var phase = Phase.open
  var arrival = ResponseArrival()
  private var hasHeardFromPeer = true
  private var awaitsPong = false
  private(set) var context: ChannelHandlerContext?
  private var exchange: CometExchange?
  private var assembler: WebSocketMessageAssembler
  /// Bytes that the client's socket has not taken yet.
  private var backlog = 0

  init(
    gateway: CometGateway, services: HTTPServices, residents: LoopResidents, caller: Caller, browserID: String?,
    address: IPAddress?
  ) {
    self.gateway = gateway
    self.services = services
    residency = Residency(among: residents)
    eventLoop = residents.eventLoop
    self.caller = caller
    self.browserID = browserID
    self.address = address
    assembler = WebSocketMessageAssembler(
      bytesMaximum: services.limits.webSocketMessageBytesMaximum,
      fragmentsMaximum: services.limits.webSocketFragmentsMaximum)
  }

  var isTLS: Bool { services.isTLS }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    openExchange()
    setDeadline(services.limits.webSocketPingInterval)
    if residency.residents.isStopping { serverStops() }
  }

  func release() {
    guard residency.end() else { return }
    phase = .closed
    context = nil
    if let exchange { gateway.closed(exchange) }
  }

  private func openExchange() {
    exchange = gateway.open(
      self, transport: .webSocket, userKey: caller.userKey, browserID: browserID, accessToken: caller.accessToken,
      address: address)
  }

  private func setDeadline(_ duration: Duration) { residency.setDeadline(after: duration) }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard phase != .closed else { return }
    let frame = unwrapInboundIn(data)
    hasHeardFromPeer = true
    awaitsPong = false
    // Behind our own close frame, only the client's is of interest.
    guard phase != .closing || frame.opcode == .connectionClose else { return }
    switch assembler.read(frame) {
    case .message(let message): received(message)
    case .ping(let payload): write(.pong, payload)
    case .close(let payload): peerCloses(payload)
    case .nothing: break
    case .violation(let code): fail(code)
    }
  }

  private func received(_ message: ByteBuffer) {
    services.metrics.countWebSocketMessage()
    guard services.identity.holds(caller) else { return fail(.policyViolation) }
    switch CometBody.decode(message) {
    case .success(let messages):
      prove(messages)
      guard maySpend(messages) else { return fail(.tryAgainLater) }
      if let exchange { gateway.received(messages, on: exchange) }
    case .failure:
      let isText = message.withUnsafeReadableBytes { String(validating: $0, as: UTF8.self) != nil }
      fail(isText ? .unexpectedServerError : .dataInconsistentWithMessage)
    }
  }

  /// Pages cannot set headers on a socket's upgrade request: they bring their token, or the key of a callback, in a
  /// message. From then on the socket is that user's; a further token makes it last longer.
  private func prove(_ messages: [BayeuxMessage]) {
    if let token = messages.lazy.compactMap(\.userToken).first {
      guard let user = services.identity.user(inBand: token, address: address), caller.userKey ?? user.key == user.key
      else { return }
      caller.proof = user
      become(user.key)
    } else if let userKey = messages.lazy.compactMap(\.userKey).first, services.identity.provesItself(userKey) {
      become(userKey)
    }
  }

  /// What the socket was before, nobody's, has ended.
  private func become(_ userKey: String) {
    guard caller.userKey == nil else { return }
    caller.userKey = userKey
    if let exchange { gateway.closed(exchange) }
    openExchange()
  }

  /// Each handshake makes a session.
  private func maySpend(_ messages: [BayeuxMessage]) -> Bool {
    guard messages.contains(where: { $0.channel == ChannelName.handshake }) else { return true }
    let callers = caller.userKey.map { [StrangerBudgets.Caller(user: $0)] } ?? []
    guard let refusal = services.budgets.take(.sessions, from: address, by: callers) else { return true }
    services.security.note(SecurityLog.Kind(refusal), from: address)
    return false
  }

  private func peerCloses(_ payload: ByteBuffer) {
    guard phase != .closing else { return close() }
    // Asked before our own close frame is in the way: its acknowledgment may be late.
    arrival.end(wasReset: false, context)
    var payload = payload
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
    if error is IOError { arrival.end(wasReset: true, context) }
    // Behind a frame that could not be read nothing can be; the closing handshake's deadline ends it.
    if phase == .closing, error is ByteToMessageDecoderError { return }
    if let error = error as? NIOWebSocketError { fail(error.closeCode) } else { close() }
  }

  // MARK: To the client

  func deliver(_ reply: CometReply) {
    // A message may prove whose the socket is while this is being written: another exchange goes on then.
    let exchange = exchange
    guard phase == .open || phase == .leaving, context != nil else { return written(exchange, success: false) }
    let length = reply.length
    guard backlog + length <= services.limits.webSocketBacklogBytesMaximum else {
      written(exchange, success: false)
      return close()
    }
    arrival.begin()
    var buffer = responseBuffer(capacity: length + 10)
    WebSocketFrameWriter.header(.text, length: length, into: &buffer)
    reply.write(into: &buffer)
    write(buffer) { self.written(exchange, success: $0) }
  }

  private func written(_ exchange: CometExchange?, success: Bool) {
    if let exchange { gateway.written(exchange, success: success) }
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

extension CometWebSocketHandler {
  func sendOff() { eventLoop.execute { self.fail(.goingAway) } }

  func deadlinePassed() {
    switch phase {
    case .open:
      guard services.identity.holds(caller) else { return fail(.policyViolation) }
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

  /// The engine's farewell goes first: the connect that it holds is answered with an advice, and `sendOff` follows.
  /// Whom the engine does not know is told at once; the deadline is for one that it has forgotten.
  func serverStops() {
    guard phase == .open else { return }
    guard exchange?.hasSession == true else { return fail(.goingAway) }
    phase = .leaving
    setDeadline(services.limits.drainTimeout)
  }

  func cut() { close() }
}

extension WebSocketErrorCode {
  /// Spec: the registry of close codes of RFC 6455, 1013.
  fileprivate static let tryAgainLater = WebSocketErrorCode(codeNumber: 1013)
}
