import JSONEnvelope
import NIOCore
import NIOPosix

/// One response as it came over the wire.
struct WireResponse: Sendable {
  let status: Int
  let head: String
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

  func header(_ name: String) -> String? {
    for line in head.split(separator: "\r\n").dropFirst() {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else { continue }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return nil
  }
}

/// A socket in the test's hands: writes bytes as it is told, and waits for what comes back.
final class HTTPConversation: Sendable {
  private let channel: any Channel
  private let inbox: WireInbox

  private init(channel: any Channel, inbox: WireInbox) {
    self.channel = channel
    self.inbox = inbox
  }

  static func open(_ port: Int, host: String = "127.0.0.1") async throws -> HTTPConversation {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let inbox = WireInbox(loop)
    let channel = try await ClientBootstrap(group: loop)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(inbox) }
      }
      .connect(host: host, port: port).get()
    return HTTPConversation(channel: channel, inbox: inbox)
  }

  func write(_ text: String) async throws { try await write(Array(text.utf8)) }
  func write(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  /// Writes one request.
  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], type: String? = nil, headers: [(String, String)] = []
  ) async throws {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    if let type { head += "Content-Type: \(type)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if method != "GET" || !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    try await write(Array((head + "\r\n").utf8) + body)
  }

  /// The next response.
  func response(within timeout: Duration = .seconds(15)) async throws -> WireResponse {
    let head = String(
      decoding: try await bytes(within: timeout) { Self.end(of: "\r\n\r\n", in: $0) }, as: UTF8.self)
    let parts = head.split(separator: " ", maxSplits: 2)
    guard parts.count > 1, let status = Int(parts[1]) else { throw EndToEndFailure("no status line: \(head)") }
    let empty = WireResponse(status: status, head: head, body: [])
    guard let length = empty.header("Content-Length").flatMap({ Int($0) }) else { return empty }
    let body = try await bytes(within: timeout) { $0.count >= length ? length : nil }
    return WireResponse(status: status, head: head, body: body)
  }

  /// Everything up to and with `text`.
  func text(through text: String, within timeout: Duration = .seconds(15)) async throws -> String {
    String(decoding: try await bytes(within: timeout) { Self.end(of: text, in: $0) }, as: UTF8.self)
  }

  /// Waits until the server has closed its side; returns what had come before.
  @discardableResult
  func closure(within timeout: Duration = .seconds(15)) async throws -> [UInt8] {
    try await inbox.wait(within: timeout, atEnd: true) { _ in nil }
  }

  func close() async { try? await channel.close() }

  private func bytes(
    within timeout: Duration, _ length: @escaping @Sendable ([UInt8]) -> Int?
  ) async throws -> [UInt8] {
    try await inbox.wait(within: timeout, atEnd: false, length)
  }

  private static func end(of text: String, in bytes: [UInt8]) -> Int? {
    let pattern = Array(text.utf8)
    guard bytes.count >= pattern.count else { return nil }
    return (0...(bytes.count - pattern.count)).first { bytes[$0..<($0 + pattern.count)].elementsEqual(pattern) }
      .map { $0 + pattern.count }
  }
}

/// What has come and who waits for it. Unchecked: all state is touched on the loop only.
private final class WireInbox: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  private struct Wait {
    let continuation: CheckedContinuation<[UInt8], any Error>
    let atEnd: Bool
    let length: @Sendable ([UInt8]) -> Int?
    let deadline: Scheduled<Void>
  }

  private let loop: any EventLoop
  private var bytes: [UInt8] = []
  private var hasEnded = false
  private var waiting: Wait?

  init(_ loop: any EventLoop) { self.loop = loop }

  func wait(
    within timeout: Duration, atEnd: Bool, _ length: @escaping @Sendable ([UInt8]) -> Int?
  ) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      loop.execute {
        let deadline = self.loop.scheduleTask(in: TimeAmount(timeout)) {
          self.fail(EndToEndFailure("nothing within \(timeout); there came \(self.bytes.count) bytes"))
        }
        self.waiting = Wait(continuation: continuation, atEnd: atEnd, length: length, deadline: deadline)
        self.serve()
      }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += Array(unwrapInboundIn(data).readableBytesView)
    serve()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { end() }
  }

  func channelInactive(context: ChannelHandlerContext) { end() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end()
    context.close(promise: nil)
  }

  private func end() {
    hasEnded = true
    serve()
  }

  private func serve() {
    guard let wait = waiting else { return }
    if let length = wait.length(bytes) {
      let found = Array(bytes[..<length])
      bytes.removeFirst(length)
      finish(.success(found))
    } else if hasEnded {
      finish(wait.atEnd ? .success(bytes) : .failure(EndToEndFailure("the connection ended too early")))
    }
  }

  private func fail(_ error: EndToEndFailure) { finish(.failure(error)) }

  private func finish(_ result: Result<[UInt8], any Error>) {
    guard let wait = waiting else { return }
    waiting = nil
    wait.deadline.cancel()
    wait.continuation.resume(with: result)
  }
}
