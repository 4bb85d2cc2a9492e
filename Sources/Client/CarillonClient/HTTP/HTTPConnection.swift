public import NIOCore
import NIOPosix

/// One kept-alive HTTP/1.1 connection that carries one request at a time, as the last handler of its channel.
///
/// Belongs to its event loop: every call and every callback happens there. It costs no task and no promise for a
/// request, so that a load generator can hold tens of thousands.
///
/// ```swift
/// HTTPConnection.open(to: address, on: loop) { connection in
///   connection.onResponse = { connection, response in … }
///   connection.onClose = { connection, error in … }
/// }
/// ```
public final class HTTPConnection: ChannelInboundHandler {
  public typealias InboundIn = ByteBuffer
  public typealias OutboundOut = ByteBuffer

  /// A whole response, in the order of the requests. With `onBodyPart` set: the head, as soon as it is there.
  public var onResponse: ((HTTPConnection, HTTPResponse) -> Void)?
  /// A piece of the body of the response whose head `onResponse` has been given (streams of events).
  public var onBodyPart: ((HTTPConnection, ByteBuffer) -> Void)?
  /// The connection is gone, after a cause or (nil) by the server's wish. Called once.
  public var onClose: ((HTTPConnection, ClientError?) -> Void)?
  /// Whatever the owner wants to find again in a callback.
  public var tag = 0

  private var parser: HTTPResponseParser
  private var waiting: ByteBuffer?
  private var response: HTTPResponse?
  private var context: ChannelHandlerContext?
  private var failure: ClientError?
  private var isClosing = false
  /// True while another request can be sent.
  public var isOpen: Bool {
    guard let context, !isClosing else { return false }
    return context.channel.isActive
  }
  public private(set) var isBusy = false
  /// True once a byte of an answer has come since the last `send`.
  private(set) var hasReceived = false

  public init(streaming: Bool = false) { parser = HTTPResponseParser(wholeBodies: !streaming) }

  /// Connects. The future's failure is a `ClientError.unreachable`.
  /// - Parameters:
  ///   - streaming: hand out bodies in pieces as they come, through `onBodyPart`.
  ///   - prepare: called on the loop before the connection is made; sets the callbacks.
  @discardableResult
  public static func open(
    to address: ServerAddress, on loop: any EventLoop, streaming: Bool = false, security: TransportSecurity? = nil,
    prepare: @escaping @Sendable (HTTPConnection) -> Void
  ) -> EventLoopFuture<Void> {
    ClientChannel.open(to: address, on: loop, security: security) { channel in
      let connection = HTTPConnection(streaming: streaming)
      prepare(connection)
      try channel.pipeline.syncOperations.addHandler(connection)
    }
  }

  /// Writes one request. The previous one must have been answered.
  public func send(_ request: ByteBuffer) {
    guard let context, isOpen else { return }
    isBusy = true
    hasReceived = false
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  /// Ends the connection; `onClose` follows.
  public func close(because error: ClientError? = nil) {
    failure = failure ?? error
    context?.close(promise: nil)
  }

  public func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  public func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    hasReceived = true
    if var earlier = waiting {
      earlier.writeBuffer(&buffer)
      waiting = nil
      buffer = earlier
    }
    do {
      try parse(&buffer)
      if buffer.readableBytes > 0 { waiting = buffer }
    } catch {
      failure = failure ?? error
      context.close(promise: nil)
    }
  }

  private func parse(_ buffer: inout ByteBuffer) throws(ClientError) {
    while let part = try parser.next(&buffer) {
      switch part {
      case .head(let head):
        if onBodyPart != nil { onResponse?(self, head) }
        response = head
        if head.status == 101 { return }
      case .body(var piece):
        if let onBodyPart {
          onBodyPart(self, piece)
        } else if response?.body.readableBytes == 0 {
          response?.body = piece
        } else {
          response?.body.writeBuffer(&piece)
          guard response?.body.readableBytes ?? 0 <= Limits.responseBodyBytesMaximum else {
            throw .malformedResponse("body of more than \(Limits.responseBodyBytesMaximum) bytes")
          }
        }
      case .end:
        complete()
      }
    }
  }

  private func complete() {
    guard let finished = response else { return }
    response = nil
    isBusy = false
    // Said first, so that the owner does not keep a connection that is about to go; closed last, as it hears of that at
    // once, and would take it for the end of a request without an answer.
    isClosing = isClosing || !finished.keepsAlive
    if onBodyPart == nil { onResponse?(self, finished) }
    if !finished.keepsAlive { context?.close(promise: nil) }
  }

  public func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    if parser.finish() { complete() }
    let callback = onClose
    onClose = nil
    callback?(self, failure)
    onResponse = nil
    onBodyPart = nil
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) { close(because: ClientError(error)) }
}

extension TimeAmount {
  /// - Parameter duration: at most some 290 years.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
