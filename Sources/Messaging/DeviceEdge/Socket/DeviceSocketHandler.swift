import HTTPKit
import MCSProtocol
import MessagingEngine
import NIOCore
import NIOWebSocket
import NetworkAddress
import ServerKit

/// One device's WebSocket: frames here, words in `DeviceSocketCodec`, everything else in `DeviceConnection`.
///
/// Belongs to its channel's event loop. Spec: RFC 6455; GCM D8.
final class DeviceSocketHandler: DeviceHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = ByteBuffer

  private static let metrics = DeviceMetrics(transport: "socket")
  private static let sessionLimits = SharedMCSLimits(MCSLimits())

  private let messaging: MessagingService
  private let services: HTTPServices
  private(set) var residency: Residency
  private let address: IPAddress?
  private var codec = DeviceSocketCodec()
  private var assembler: WebSocketMessageAssembler
  private(set) var connection: DeviceConnection?
  private(set) var context: ChannelHandlerContext?
  /// Bytes that the client's socket has not taken yet.
  private var backlog = 0
  private(set) var isClosing = false

  /// Bytes of one text of the client.
  static var textBytesMaximum: Int { sessionLimits.limits.stanzaBytesMaximum }

  init(messaging: MessagingService, services: HTTPServices, residents: LoopResidents, address: IPAddress?) {
    self.messaging = messaging
    self.services = services
    self.address = address
    residency = Residency(among: residents)
    assembler = WebSocketMessageAssembler(
      bytesMaximum: Self.textBytesMaximum, fragmentsMaximum: services.limits.webSocketFragmentsMaximum)
  }

  // MARK: Life

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    residency.begin(self)
    let connection = DeviceConnection(
      messaging: messaging, eventLoop: residency.residents.eventLoop, metrics: Self.metrics,
      guesses: services.guesses, limits: Self.sessionLimits, address: address, transport: self)
    self.connection = connection
    connection.opened()
    if residency.residents.isStopping { serverStops() }
  }

  func release() {
    guard residency.end() else { return }
    context = nil
    connection?.closed()
    connection = nil
  }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    guard !isClosing else {
      // The answer to our close frame, or what was under way.
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    switch assembler.read(frame) {
    case .message(let message): received(text: message)
    case .ping(let payload): write(.pong, Array(payload.readableBytesView))
    case .close: connection?.received(.close(MCSClose()))
    case .nothing: break
    case .violation(let code): fail(code)
    }
  }

  private func received(text message: ByteBuffer) {
    services.metrics.countWebSocketMessage()
    message.withUnsafeReadableBytes { bytes in
      do throws(MCSViolation) {
        connection?.received(try codec.stanza(bytes))
      } catch {
        connection?.violated(error)
      }
    }
    updateReading()
  }

  /// Nothing more is read while the engine has enough of this client.
  private func updateReading() {
    guard let connection, !connection.takesInput, !isClosing else { return }
    _ = context?.channel.setOption(.autoRead, value: false)
  }

  func resumeReading() { _ = context?.channel.setOption(.autoRead, value: true) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? NIOWebSocketError { fail(error.closeCode) } else { context.close(promise: nil) }
  }

  // MARK: To the client

  func write(_ stanza: MCSStanza) {
    for text in codec.texts(stanza) { write(.text, text) }
  }

  func flush() { context?.flush() }

  private func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
    guard let context else { return }
    guard backlog + payload.count <= services.limits.webSocketBacklogBytesMaximum else { return drop() }
    var buffer = context.channel.allocator.buffer(capacity: payload.count + 10)
    WebSocketFrameWriter.header(opcode, length: payload.count, into: &buffer)
    buffer.writeBytes(payload)
    write(buffer)
    if opcode != .text { context.flush() }
  }

  private func write(_ frame: ByteBuffer) {
    guard let context else { return }
    let length = frame.readableBytes
    backlog += length
    context.write(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in self.backlog -= length }
  }

  /// The client reads slower than its messages come: a farewell would only be the last of what it does not read.
  private func drop() {
    guard !isClosing else { return }
    isClosing = true
    connection?.end(.slow)
    context?.close(promise: nil)
  }

  func close(_ reason: MCSClosing) {
    guard !isClosing else { return }
    if reason != .client { write(.text, DeviceSocketCodec.closing(reason)) }
    goodbye(Self.code(of: reason))
  }

  /// The frames themselves are wrong.
  private func fail(_ code: WebSocketErrorCode) {
    guard !isClosing else { return }
    goodbye(code)
    connection?.end(.violation(.malformed))
  }

  /// Waits a little for the client to say that it has heard.
  private func goodbye(_ code: WebSocketErrorCode) {
    guard let context else { return }
    isClosing = true
    setDeadline(services.limits.webSocketCloseTimeout)
    // What was withheld may hold the client's answer.
    _ = context.channel.setOption(.autoRead, value: true)
    var buffer = context.channel.allocator.buffer(capacity: 8)
    WebSocketFrameWriter.close(code, into: &buffer)
    write(buffer)
    context.flush()
  }

  private static func code(of reason: MCSClosing) -> WebSocketErrorCode {
    switch reason {
    case .client: .normalClosure
    case .draining: .goingAway
    case .unavailable: .init(codeNumber: 1013)
    case .loginTimeout, .loginRefused, .violation, .silent, .replaced, .revoked, .slow, .lost: .policyViolation
    }
  }

  func loggedIn() {}
}
