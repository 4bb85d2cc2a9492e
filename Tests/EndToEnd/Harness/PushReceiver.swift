import JSONEnvelope
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// What stands for the push service: takes every POST on loopback, answers 200 and keeps it.
final class PushReceiver: Sendable {
  struct Push: Sendable {
    let method: String
    let path: String
    let contentType: String?
    /// Header `webhook-id`.
    let id: String?
    let body: [UInt8]
    let time: ContinuousClock.Instant

    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
  }

  private let received: Received
  private let channel: any Channel

  /// Opens a receiver, hands it to `body` and closes it.
  static func run(_ body: (PushReceiver) async throws -> Void) async throws {
    let receiver = try await PushReceiver()
    do {
      try await body(receiver)
    } catch {
      await receiver.close()
      throw error
    }
    await receiver.close()
  }

  private init() async throws {
    let received = Received()
    self.received = received
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(received))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  private func close() async { try? await channel.close() }

  /// Called right after each answer has been written.
  func onAnswer(_ body: @escaping @Sendable (Push) -> Void) { received.onAnswer.withLock { $0 = body } }

  var pushes: [Push] { received.pushes.withLock { $0 } }

  /// The URL of `path` here.
  func url(_ path: String = "/push") -> String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\(path)" }

  /// The options of a server whose customhttp pushes come here.
  func options(delaySeconds: Int) -> ServerOptions {
    [
      "push": [
        "pushEnabled": "comet,customhttp,httpcb", "customhttp.url": url(), "webhooks.allow_private": "127.0.0.1/32",
      ],
      "service.request-chat": ["_client_timeout_notification": String(delaySeconds)],
    ]
  }

  /// Waits until `count` pushes have come; returns them.
  func pushes(count: Int, within timeout: Duration = .seconds(15)) async throws -> [Push] {
    try await eventually("\(count) pushes", within: timeout) {
      let all = pushes
      return all.count >= count ? all : nil
    }
  }

  private final class Received: Sendable {
    let pushes = Mutex<[Push]>([])
    let onAnswer = Mutex<(@Sendable (Push) -> Void)?>(nil)
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let received: Received
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ received: Received) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        self.head = head
        body = []
      case .body(let piece):
        body += piece.readableBytesView
      case .end:
        let push = Push(
          method: head?.method.rawValue ?? "", path: head?.uri ?? "",
          contentType: head?.headers.first(name: "Content-Type"),
          id: head?.headers.first(name: "webhook-id"), body: body, time: .now)
        received.pushes.withLock { $0.append(push) }
        let answer = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        received.onAnswer.withLock { $0 }?(push)
      }
    }
  }
}

/// Asks again and again until there is an answer.
/// - Throws: `EndToEndFailure` that names `what`, if there is none in time.
@discardableResult
func eventually<Answer>(
  _ what: String, within timeout: Duration = .seconds(15), _ answer: () async throws -> Answer?
) async throws -> Answer {
  let deadline = ContinuousClock.now + timeout
  while true {
    if let answer = try await answer() { return answer }
    guard ContinuousClock.now < deadline else { throw EndToEndFailure("\(what): not within \(timeout)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}
