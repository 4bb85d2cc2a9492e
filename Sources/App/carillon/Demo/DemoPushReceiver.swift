import JSONEnvelope
import NIOCore
import NIOHTTP1
import NIOPosix

/// What stands for the push service and the phone: takes every POST, answers 200 and keeps the body.
final class DemoPushReceiver: Sendable {
  struct Push: Sendable {
    let body: [UInt8]
    let json: JSONValue
    let time: ContinuousClock.Instant
  }

  let received = DemoInbox<Push>()
  private let channel: any Channel

  init() async throws {
    let inbox = received
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(inbox))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  func close() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let inbox: DemoInbox<Push>
    private var body: [UInt8] = []

    init(_ inbox: DemoInbox<Push>) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head: body = []
      case .body(let piece):
        guard body.count + piece.readableBytes <= DemoLimits.receivedBytesMaximum else {
          return context.close(promise: nil)
        }
        body += piece.readableBytesView
      case .end:
        inbox.put(Push(body: body, json: (try? JSONValue(parsing: body)) ?? .null, time: .now))
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
}
