import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Takes webhooks on several ports of loopback, on a thread of its own, and answers each with 200, or as it is told.
final class WebhookReceiver: Sendable {
  /// What a request gets.
  enum Answer: Sendable {
    /// - Parameter retryAfter: seconds.
    case status(Int, retryAfter: Int? = nil)
    /// Nothing, until the sender has had enough.
    case silence
  }

  /// Called on the receiver's thread with the header `webhook-id` of each request.
  typealias Answering = @Sendable (_ id: String) -> Answer
  /// Called on the receiver's thread for each body that holds a `#` and digits, with that number.
  typealias Arrival = @Sendable (_ number: Int) -> Void

  private let group: MultiThreadedEventLoopGroup
  private let channels: [any Channel]
  private let arrivals: Arrivals

  fileprivate final class Arrivals: Sendable {
    let count = Atomic<Int>(0)
    let handler = Mutex<Arrival?>(nil)
  }

  private init(_ group: MultiThreadedEventLoopGroup, _ channels: [any Channel], _ arrivals: Arrivals) {
    self.group = group
    self.channels = channels
    self.arrivals = arrivals
  }

  /// - Parameter answering: nil: 200 for everybody.
  static func start(endpoints: Int, answering: Answering? = nil) async throws -> WebhookReceiver {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let arrivals = Arrivals()
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(HTTPRequestDecoder()), ReceiverHandler(arrivals, answering))
        }
      }
    var channels: [any Channel] = []
    for _ in 0..<endpoints { channels.append(try await bootstrap.bind(host: "127.0.0.1", port: 0).get()) }
    return WebhookReceiver(group, channels, arrivals)
  }

  /// The URL of a device: they are dealt out over the endpoints.
  func url(of device: Int) -> String {
    "http://127.0.0.1:\(channels[device % channels.count].localAddress?.port ?? 0)/devices/\(device)"
  }

  /// Webhooks so far.
  var count: Int { arrivals.count.load(ordering: .relaxed) }

  func onArrival(_ handler: Arrival?) { arrivals.handler.withLock { $0 = handler } }

  func stop() async {
    for channel in channels { try? await channel.close() }
    try? await group.shutdownGracefully()
  }
}

private final class ReceiverHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  private static let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

  private let arrivals: WebhookReceiver.Arrivals
  private let answering: WebhookReceiver.Answering?
  private var id = ""
  private var body = ByteBuffer()

  init(_ arrivals: WebhookReceiver.Arrivals, _ answering: WebhookReceiver.Answering?) {
    self.arrivals = arrivals
    self.answering = answering
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      body.clear()
      if answering != nil { id = head.headers.first(name: "webhook-id") ?? "" }
    case .body(var part): body.writeBuffer(&part)
    case .end:
      arrivals.count.add(1, ordering: .relaxed)
      if let handler = arrivals.handler.withLock({ $0 }), let number { handler(number) }
      guard let answer = nextAnswer else { return }
      context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
  }

  /// Nil for none.
  private var nextAnswer: ByteBuffer? {
    switch answering?(id) {
    case nil, .status(200, _): return Self.answer
    case .silence: return nil
    case .status(let status, let retryAfter):
      let pause = retryAfter.map { "retry-after: \($0)\r\n" } ?? ""
      return ByteBuffer(string: "HTTP/1.1 \(status) Stand-in\r\n\(pause)content-length: 0\r\n\r\n")
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// The digits behind the last `#`.
  private var number: Int? {
    let bytes = body.readableBytesView
    guard let mark = bytes.lastIndex(of: UInt8(ascii: "#")) else { return nil }
    var number: Int?
    for byte in bytes[(mark + 1)...] {
      guard byte >= 48, byte <= 57, (number ?? 0) < 1_000_000_000 else { break }
      number = (number ?? 0) * 10 + Int(byte - 48)
    }
    return number
  }
}
