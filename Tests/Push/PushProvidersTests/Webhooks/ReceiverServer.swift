import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TextEncoding

@testable import PushProviders

/// A receiver of pushes on loopback that behaves as each request's path asks:
///
/// ```
/// /status/503      that status                  /redirect     302 to /status/200
/// /retry-after/30  429 with that header         /body         200 with a short, late body
/// /hold            200 once `release` is called /silent       never answers
/// /closes          closes without an answer     /short        200, closes in the middle of the body
/// /endless         200, body without end        /stuck-body   200, body that never comes
/// /drip            a byte of the head now and then
/// /say/eyJ9        200 with the text that this is in base64 for URLs
/// ```
final class ReceiverServer: Sendable {
  private let channel: any Channel
  let log: ReceiverLog

  private init(channel: any Channel, log: ReceiverLog) {
    self.channel = channel
    self.log = log
  }

  static func start(host: String = "127.0.0.1") async throws -> ReceiverServer {
    let log = ReceiverLog()
    let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          log.opened()
          // Only the decoder: the answers are written as bytes, so that they can be broken.
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(HTTPRequestDecoder()), ReceiverHandler(log: log))
        }
      }
      .bind(host: host, port: 0).get()
    return ReceiverServer(channel: channel, log: log)
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

  func stop() async throws { try await channel.close() }
}

/// What a receiver has seen; waits without polling.
final class ReceiverLog: Sendable {
  struct Request: Sendable {
    var method = ""
    var path = ""
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private struct State {
    var requests: [Request] = []
    var connections = 0
    var held: [any Channel] = []
    var isReleased = false
    var running = 0
    var runningPeak = 0
    var endlessBytes = 0
    var watchers: [(heldCount: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var requests: [Request] { state.withLock { $0.requests } }
  var connections: Int { state.withLock { $0.connections } }
  var runningPeak: Int { state.withLock { $0.runningPeak } }
  var endlessBytes: Int { state.withLock { $0.endlessBytes } }

  func opened() { state.withLock { $0.connections += 1 } }
  func wrote(endless bytes: Int) { state.withLock { $0.endlessBytes += bytes } }

  func began(_ request: Request) {
    state.withLock {
      $0.requests.append(request)
      $0.running += 1
      $0.runningPeak = max($0.runningPeak, $0.running)
    }
  }

  func ended() { state.withLock { $0.running -= 1 } }

  /// True if the answer is to be given at once.
  func hold(_ channel: any Channel) -> Bool {
    let (isReleased, woken) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
      if state.isReleased { return (true, []) }
      state.held.append(channel)
      let woken = state.watchers.filter { $0.heldCount <= state.held.count }.map(\.continuation)
      state.watchers.removeAll { $0.heldCount <= state.held.count }
      return (false, woken)
    }
    for continuation in woken { continuation.resume() }
    return isReleased
  }

  func waitUntilHeld(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.held.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Answers everything that is held, and holds nothing any more.
  func release() {
    let held = state.withLock { state in
      state.isReleased = true
      defer { state.held = [] }
      return state.held
    }
    for channel in held {
      ended()
      channel.writeAndFlush(ByteBuffer(string: ReceiverHandler.emptyAnswer(200)), promise: nil)
    }
  }
}

private final class ReceiverHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  private let log: ReceiverLog
  private var request = ReceiverLog.Request()

  init(log: ReceiverLog) { self.log = log }

  static func emptyAnswer(_ status: Int, headers: String = "") -> String {
    "HTTP/1.1 \(status) x\r\n\(headers)content-length: 0\r\n\r\n"
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      request = ReceiverLog.Request(method: head.method.rawValue, path: head.uri)
      for (name, value) in head.headers { request.headers[name.lowercased()] = value }
    case .body(let part):
      request.body += part.readableBytesView
    case .end:
      log.began(request)
      answer(context)
    }
  }

  private func answer(_ context: ChannelHandlerContext) {
    let parts = request.path.prefix { $0 != "?" }.split(separator: "/")
    switch parts.first {
    case "status":
      send(context, Self.emptyAnswer(parts.last.flatMap { Int($0) } ?? 500))
    case "retry-after":
      send(context, Self.emptyAnswer(429, headers: "retry-after: \(parts.dropFirst().first ?? "")\r\n"))
    case "redirect":
      send(context, Self.emptyAnswer(302, headers: "location: /status/200\r\n"))
    case "body":
      send(context, "HTTP/1.1 200 x\r\ncontent-length: 7\r\n\r\n")
      let channel = context.channel
      // Later than the head, so that somebody has to wait for it.
      context.eventLoop.scheduleTask(in: .milliseconds(30)) {
        channel.writeAndFlush(ByteBuffer(string: "ignored"), promise: nil)
      }
    case "say":
      let body = parts.last.flatMap { Base64.decode($0) } ?? []
      send(context, "HTTP/1.1 200 x\r\ncontent-length: \(body.count)\r\n\r\n" + String(decoding: body, as: UTF8.self))
    case "hold":
      if log.hold(context.channel) { send(context, Self.emptyAnswer(200)) }
    case "closes":
      log.ended()
      context.close(promise: nil)
    case "short":
      log.ended()
      let channel = context.channel
      channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 x\r\ncontent-length: 100\r\n\r\nten bytes."))
        .whenComplete { _ in channel.close(promise: nil) }
    case "stuck-body":
      log.ended()
      context.writeAndFlush(
        wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\n")), promise: nil)
    case "endless":
      log.ended()
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 x\r\n\r\n")), promise: nil)
      Self.pour(context.channel, log)
    case "drip":
      log.ended()
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 x\r\nx: ")), promise: nil)
      let channel = context.channel
      context.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(20), delay: .milliseconds(20)) { task in
        if channel.isActive { channel.writeAndFlush(ByteBuffer(string: "y"), promise: nil) } else { task.cancel() }
      }
    default:
      log.ended()
    }
  }

  private func send(_ context: ChannelHandlerContext, _ answer: String) {
    log.ended()
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
  }

  private static func pour(_ channel: any Channel, _ log: ReceiverLog) {
    let part = ByteBuffer(repeating: UInt8(ascii: "z"), count: 16_384)
    channel.writeAndFlush(part).whenSuccess {
      log.wrote(endless: part.readableBytes)
      channel.eventLoop.execute { pour(channel, log) }
    }
  }
}
