/// What went wrong between this client and the server.
public enum ClientError: Error, Sendable, Equatable {
  /// A server address that is not `http://host[:port][/base]` or `https://…`.
  case invalidAddress(String)
  /// No connection could be made; the text says why.
  case unreachable(String)
  /// The connection ended before the answer was complete. Whether the server acted on the request is unknown.
  case connectionClosed
  /// No answer in time. Whether the server acted on the request is unknown.
  case timedOut
  /// Bytes that are not HTTP, not JSON, or not what the protocol has in this place.
  case malformedResponse(String)
  /// The server refused the request; `message` is the text of its error body.
  case refused(status: Int, message: String)
  /// A Bayeux reply with `successful` false; `error` is its `code:args:text`.
  case unsuccessful(channel: String, error: String)
  /// The call does not fit the state of the client, such as `send` before `start`.
  case invalidState(String)
  /// `disconnect` or `close` was called, or the task was cancelled.
  case stopped

  /// Whether the same may succeed later, or at another server: this one is not there, or not ready.
  var mayPass: Bool {
    switch self {
    case .connectionClosed, .timedOut: true
    default: isUndone
    }
  }

  /// Whether that is so, and the server has certainly done nothing of what it was asked.
  var isUndone: Bool {
    switch self {
    // 0: no WebSocket, and the server's answer is not known.
    case .unreachable, .refused(status: 0, _), .refused(status: 503, _): true
    case .unsuccessful(_, let error): error.hasPrefix("503:")
    default: false
    }
  }
}
