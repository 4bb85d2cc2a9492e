import JSONEnvelope
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// What stands for the push service and the phone, or for the customer's own back end: takes every POST, answers as told
/// and keeps the body.
final class DemoPushReceiver: Sendable {
  struct Push: Sendable {
    let body: [UInt8]
    let json: JSONValue
    let time: ContinuousClock.Instant
    let headers: HTTPHeaders
    /// What it was answered with.
    let status: Int

    /// The same for each attempt.
    var id: String { headers.first(name: "webhook-id") ?? "" }

    /// Whether it is a chat's, tells a device of these lines, and says nothing else.
    func check(instance: String, device: String, lines: [String]) throws {
      let transcript = JSONValue.array(lines.map { ["Message.Text": .string($0)] })
      let expected: JSONValue = [
        "deviceId": .string(device),
        "message": [
          "message": "New message from Agent", "serviceId": .string(instance), "lastTranscript": transcript,
        ],
      ]
      guard json == expected else { throw DemoFailure("the push was \(String(decoding: body, as: UTF8.self))") }
    }
  }

  /// What a POST to a path is answered with; nil: what every other is.
  typealias Judge = @Sendable (_ path: String, _ body: JSONValue) -> HTTPResponseStatus?

  let received: DemoInbox<Push>
  private let channel: any Channel
  private let status = Status()

  /// What every POST is answered with from now on; 200 in the beginning.
  func answer(with status: HTTPResponseStatus) { self.status.code.store(Int(status.code), ordering: .relaxed) }

  private final class Status: Sendable {
    let code = Atomic<Int>(200)
  }

  /// - Parameters:
  ///   - maximum: how many pushes it remembers.
  ///   - judge: asked once for each POST, on the thread that has read it.
  init(keeping maximum: Int = .max, judge: @escaping Judge = { _, _ in nil }) async throws {
    received = DemoInbox(keeping: maximum)
    let (inbox, status) = (received, status)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(inbox, status, judge))
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
    private let status: Status
    private let judge: Judge
    private var path = ""
    private var headers = HTTPHeaders()
    private var body: [UInt8] = []

    init(_ inbox: DemoInbox<Push>, _ status: Status, _ judge: @escaping Judge) {
      self.inbox = inbox
      self.status = status
      self.judge = judge
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        (path, headers) = (head.uri, head.headers)
        body = []
      case .body(let piece):
        guard body.count + piece.readableBytes <= DemoLimits.receivedBytesMaximum else {
          return context.close(promise: nil)
        }
        body += piece.readableBytesView
      case .end:
        let json = (try? JSONValue(parsing: body)) ?? .null
        let code = judge(path, json).map { Int($0.code) } ?? status.code.load(ordering: .relaxed)
        inbox.put(Push(body: body, json: json, time: .now, headers: headers, status: code))
        let head = HTTPResponseHead(
          version: .http1_1, status: HTTPResponseStatus(statusCode: code), headers: ["Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
}
