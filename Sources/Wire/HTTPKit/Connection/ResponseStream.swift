/// A response that leaves in parts.
package struct ResponseStream {
  /// False for a body of announced length and for HTTP/1.0, where the connection's end is the body's.
  package let isChunked: Bool
  /// Server-sent events: silence is filled with comments.
  let isEventStream: Bool
  /// Parts that the client's socket has not taken yet.
  var writesInFlight = 0

  init(isChunked: Bool, isEventStream: Bool) {
    self.isChunked = isChunked
    self.isEventStream = isEventStream
  }
}
