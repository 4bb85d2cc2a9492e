import NIOCore
import NIOPosix
import Synchronization

/// A socket in the test's hands: writes what it is told, and waits for what comes back.
final class RawStream: Sendable {
  private let channel: any Channel
  private let inbox: Inbox

  private init(_ channel: any Channel, _ inbox: Inbox) {
    self.channel = channel
    self.inbox = inbox
  }

  static func connect(_ port: Int) async throws -> RawStream {
    let inbox = Inbox()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(InboxHandler(inbox))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return RawStream(channel, inbox)
  }

  /// Connected and logged in.
  static func logIn(_ port: Int) async throws -> RawStream {
    let stream = try await connect(port)
    try await stream.write(Words.login)
    _ = try await stream.text(through: "</jid></bind></iq>")
    return stream
  }

  func write(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

  /// From now on nothing is read.
  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  func close() async { try? await channel.close() }

  /// Everything up to and with `text`, which is taken away.
  func text(through text: String) async throws -> String { try await inbox.text(through: text) }

  /// Waits until the server has closed; what came before that.
  func rest() async throws -> String {
    while !inbox.isClosed { try await Task.sleep(for: .milliseconds(2)) }
    return inbox.all
  }
}

/// What has come on a socket.
final class Inbox: Sendable {
  struct Closed: Error { let before: String }

  private let state = Mutex((text: "", isClosed: false))

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var all: String { state.withLock { $0.text } }
  func append(_ text: String) { state.withLock { $0.text += text } }
  func close() { state.withLock { $0.isClosed = true } }

  func text(through text: String) async throws -> String {
    while true {
      let (found, isClosed) = state.withLock { state -> (String?, Bool) in
        guard let range = state.text.firstRange(of: text) else { return (nil, state.isClosed) }
        defer { state.text.removeSubrange(..<range.upperBound) }
        return (String(state.text[..<range.upperBound]), false)
      }
      if let found { return found }
      if isClosed { throw Closed(before: all) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

private final class InboxHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let inbox: Inbox

  init(_ inbox: Inbox) { self.inbox = inbox }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    inbox.append(String(buffer: unwrapInboundIn(data)))
  }

  func channelInactive(context: ChannelHandlerContext) { inbox.close() }
}
