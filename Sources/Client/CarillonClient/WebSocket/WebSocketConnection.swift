public import NIOCore
import NIOHTTP1
import NIOPosix
public import NIOWebSocket

/// One WebSocket, as the last handler of its channel: text messages out and in, pings answered.
///
/// Belongs to its event loop, like `HTTPConnection`: every call and every callback happens there.
public final class WebSocketConnection: ChannelInboundHandler {
  public typealias InboundIn = WebSocketFrame
  public typealias OutboundOut = WebSocketFrame

  /// One text message.
  public var onText: ((WebSocketConnection, ByteBuffer) -> Void)?
  /// The connection is gone. Called once.
  public var onClose: ((WebSocketConnection, ClientError?) -> Void)?
  /// Whatever the owner wants to find again in a callback.
  public var tag = 0

  private var context: ChannelHandlerContext?
  private var failure: ClientError?
  private var closeSent = false

  init() {}

  /// Connects and upgrades. The future fails with a `ClientError` if the server refuses.
  /// - Parameters:
  ///   - path: path and query, without the server's base path.
  ///   - prepare: called on the loop after the upgrade, before the first message; sets the callbacks.
  @discardableResult
  public static func open(
    to address: ServerAddress, path: String, headers: [(name: String, value: String)] = [], on loop: any EventLoop,
    security: TransportSecurity? = nil, prepare: @escaping @Sendable (WebSocketConnection) -> Void
  ) -> EventLoopFuture<Void> {
    var fields = HTTPHeaders(headers.map { ($0.name, $0.value) })
    fields.add(name: "Host", value: address.authority)
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: address.basePath + path, headers: fields)
    let upgraded = loop.makePromise(of: Void.self)
    ClientChannel.open(to: address, on: loop, security: security) { channel in
      let upgrade = NIOTypedHTTPClientUpgradeConfiguration<Bool>(
        upgradeRequestHead: head, upgraders: [upgrader(prepare: prepare)],
        notUpgradingCompletionHandler: { channel in
          channel.close(promise: nil)
          return channel.eventLoop.makeSucceededFuture(false)
        })
      var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
      configuration.leftOverBytesStrategy = .forwardBytes
      try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
        .flatMapThrowing { isWebSocket in
          guard isWebSocket else { throw ClientError.refused(status: 0, message: "no upgrade to WebSocket") }
        }
        .flatMapErrorThrowing { error in
          throw (error as? ClientError) ?? ClientError.unreachable("no upgrade to WebSocket: \(error)")
        }
        .cascade(to: upgraded)
    }
    .whenFailure { upgraded.fail($0) }
    return upgraded.futureResult
  }

  private static func upgrader(
    prepare: @escaping @Sendable (WebSocketConnection) -> Void
  ) -> NIOTypedWebSocketClientUpgrader<Bool> {
    NIOTypedWebSocketClientUpgrader(maxFrameSize: Limits.webSocketMessageBytesMaximum) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        let connection = WebSocketConnection()
        prepare(connection)
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: Limits.webSocketFragmentsMaximum,
            maxAccumulatedFrameSize: Limits.webSocketMessageBytesMaximum),
          connection)
        return true
      }
    }
  }

  /// Sends one text message.
  public func send(_ text: ByteBuffer) {
    guard let context, !closeSent else { return }
    let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: text)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  /// Says goodbye and ends the connection; `onClose` follows.
  public func close(because error: ClientError? = nil) {
    guard let context else { return }
    failure = failure ?? error
    sendClose(context)
    context.close(promise: nil)
  }

  public func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // A server that dies in the moment of the upgrade: the end was told before there was anybody to hear it.
    if !context.channel.isActive { ended() }
  }

  public func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: onText?(self, frame.unmaskedData)
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .connectionClose:
      sendClose(context)
      context.close(promise: nil)
    default: break
    }
  }

  private func sendClose(_ context: ChannelHandlerContext) {
    guard !closeSent else { return }
    closeSent = true
    var data = context.channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: .normalClosure)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  public func channelInactive(context: ChannelHandlerContext) { ended() }

  private func ended() {
    let callback = onClose
    onClose = nil
    onText = nil
    callback?(self, failure)
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failure = failure ?? ClientError(error)
    context.close(promise: nil)
  }
}
