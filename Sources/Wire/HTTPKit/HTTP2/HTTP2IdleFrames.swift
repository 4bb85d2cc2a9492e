/// Counts the frames that bring nothing: WINDOW_UPDATE, and those of types that nobody here knows, which are passed over.
///
/// A client has a reason to send some: for each frame of data that it gets, and for each request. Whoever sends many more
/// only keeps the server busy. What no limit of NIO's counts is counted here. Spec: RFC 9113, 10.5.
package struct HTTP2IdleFrames {
  /// For a frame of data: the windows of its stream and of the connection, and some slack.
  private static let perData = 4
  /// For a request: its priority and the like.
  private static let perRequest = 4

  private let maximum: Int
  private var left: Int

  package init(maximum: Int) {
    self.maximum = maximum
    left = maximum
  }

  /// A frame has gone to the client.
  package mutating func sent(_ kind: HTTP2FrameScanner.Kind) {
    if kind == .data { left = min(maximum, left + Self.perData) }
  }

  /// False if it is one too many.
  package mutating func received(_ kind: HTTP2FrameScanner.Kind) -> Bool {
    if kind == .headers { left = min(maximum, left + Self.perRequest) }
    guard kind == .windowUpdate || !kind.isKnown else { return true }
    left -= 1
    return left >= 0
  }
}
