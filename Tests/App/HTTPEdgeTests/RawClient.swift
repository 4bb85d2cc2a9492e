import Glibc
import NIOCore
import NIOPosix

/// A socket in the test's hands: writes bytes as they are told, and waits for what comes back.
final class RawClient: Sendable {
  struct Response {
    var status: Int
    var head: String
    var body: String

    func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else { continue }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
      }
      return nil
    }
  }

  struct ClosedEarly: Error {}

  private let channel: any Channel
  private let inbox: Inbox

  private init(channel: any Channel, inbox: Inbox) {
    self.channel = channel
    self.inbox = inbox
  }

  static func connect(_ port: Int) async throws -> RawClient {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let inbox = Inbox(loop)
    let channel = try await ClientBootstrap(group: loop)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(inbox) }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return RawClient(channel: channel, inbox: inbox)
  }

  func write(_ text: String) async throws { try await write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

  func post(_ path: String, _ body: String, headers: String = "") async throws {
    try await write(
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
  }

  func get(_ path: String, headers: String = "") async throws {
    try await write("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
  }

  func shutdownOutput() async throws { try await channel.close(mode: .output) }

  func close() async { try? await channel.close() }

  /// From here on what the server says stays where it is.
  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  /// Breaks off: what the kernel has of the server's words is thrown away, and the server is told so.
  func reset() async throws {
    try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await channel.close()
  }

  /// The next response; of a chunked or endless body, whatever `bodyless` says: nothing.
  func response(withoutBody: Bool = false) async throws -> Response {
    let head = String(decoding: try await bytes { Self.end(of: "\r\n\r\n", in: $0) }, as: UTF8.self)
    let status = Int(head.split(separator: " ")[1]) ?? 0
    var response = Response(status: status, head: head, body: "")
    if !withoutBody, let length = response.header("Content-Length").flatMap({ Int($0) }) {
      response.body = String(decoding: try await bytes { $0.count >= length ? length : nil }, as: UTF8.self)
    }
    return response
  }

  /// Everything up to and with `text`.
  func text(through text: String) async throws -> String {
    String(decoding: try await bytes { Self.end(of: text, in: $0) }, as: UTF8.self)
  }

  func bytes(count: Int) async throws -> [UInt8] { try await bytes { $0.count >= count ? count : nil } }

  /// Waits until the server has closed its side; returns what had come before.
  @discardableResult
  func closure() async throws -> [UInt8] { try await wait(atEnd: true) { _ in nil } }

  private func bytes(_ length: @escaping @Sendable ([UInt8]) -> Int?) async throws -> [UInt8] {
    try await wait(atEnd: false, length: length)
  }

  /// A test whose time is up waits no longer: its connection is closed.
  private func wait(atEnd: Bool, length: @escaping @Sendable ([UInt8]) -> Int?) async throws -> [UInt8] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        inbox.wait(Inbox.Wait(continuation: continuation, atEnd: atEnd, length: length))
      }
    } onCancel: {
      channel.close(promise: nil)
    }
  }

  private static func end(of text: String, in bytes: [UInt8]) -> Int? {
    let pattern = Array(text.utf8)
    guard bytes.count >= pattern.count else { return nil }
    return (0...(bytes.count - pattern.count)).first { bytes[$0..<($0 + pattern.count)].elementsEqual(pattern) }
      .map { $0 + pattern.count }
  }
}

/// What has come and who waits for it. All state is touched on the loop only.
private final class Inbox: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  struct Wait {
    let continuation: CheckedContinuation<[UInt8], any Error>
    let atEnd: Bool
    let length: @Sendable ([UInt8]) -> Int?
  }

  private let loop: any EventLoop
  private var bytes: [UInt8] = []
  private var hasEnded = false
  private var waiting: Wait?

  init(_ loop: any EventLoop) { self.loop = loop }

  func wait(_ wait: Wait) {
    loop.execute {
      self.waiting = wait
      self.serve()
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
      waiting = nil
      wait.continuation.resume(returning: Array(bytes[..<length]))
      bytes.removeFirst(length)
    } else if hasEnded {
      waiting = nil
      if wait.atEnd {
        wait.continuation.resume(returning: bytes)
      } else {
        wait.continuation.resume(throwing: RawClient.ClosedEarly())
      }
    }
  }
}
