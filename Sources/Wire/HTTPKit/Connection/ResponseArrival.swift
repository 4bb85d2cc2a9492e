package import NIOCore

#if canImport(Glibc)
  import Glibc
#endif

/// Whether the last response on a connection has come as far as the client's machine: what its kernel tells ours, for
/// as long as there is a socket to ask, and how the connection ended.
///
/// A client that goes on over another connection has either got that response or lost it with its network. Written is
/// not received: what a dead connection's kernel never acknowledged goes again. Spec: GMS 6.2, last paragraph.
package struct ResponseArrival {
  /// An acknowledgment may be late without anything being lost: delayed ones take up to a fifth of a second, and the way.
  static let patience: TimeAmount = .milliseconds(500)
  static let pause: TimeAmount = .milliseconds(20)

  private var verdict: Bool?

  package init() {}

  /// A response is about to be written.
  package mutating func begin() { verdict = nil }

  /// The client has spoken again on this connection: it has read what was written to it.
  package mutating func heard() { verdict = verdict ?? true }

  /// The connection ends.
  /// - Parameter context: its socket is still open; nil if there is nothing to ask any more.
  package mutating func end(wasReset: Bool, _ context: ChannelHandlerContext?) {
    verdict = verdict ?? (wasReset ? false : context.map(Self.isAcknowledged) ?? true)
  }

  /// Nil if it may still come.
  package func hasArrived(_ context: ChannelHandlerContext?) -> Bool? {
    if let verdict { return verdict }
    guard let context else { return true }
    return Self.isAcknowledged(context) ? true : nil
  }

  #if canImport(Glibc)
    /// Bytes that the peer's kernel has not acknowledged; nil for a channel without a socket.
    private static func unacknowledged(_ channel: any Channel) -> CInt? {
      try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
        var count: CInt = 0
        return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? count : 0
      }
    }
  #endif

  /// The peer's kernel has acknowledged every byte that ours has; true where nobody can tell.
  private static func isAcknowledged(_ context: ChannelHandlerContext) -> Bool {
    #if canImport(Glibc)
      // A stream of HTTP/2 has no socket; its connection's tells of all streams together.
      return (unacknowledged(context.channel) ?? context.channel.parent.flatMap { unacknowledged($0) } ?? 0) == 0
    #else
      return true
    #endif
  }
}

extension EventLoop {
  /// Asks on the loop until there is an answer or no patience left.
  package func arrival(_ ask: @escaping @Sendable () -> Bool?) async -> Bool {
    let deadline = NIODeadline.now() + ResponseArrival.patience
    while true {
      do {
        if let answer = try await submit(ask).get() { return answer }
        guard NIODeadline.now() < deadline else { return false }
        try await scheduleTask(in: ResponseArrival.pause) {}.futureResult.get()
      } catch {
        // A loop that is over has nobody left to tell.
        return true
      }
    }
  }
}
