package import NIOHTTP1

/// What happens to an HTTP connection.
package enum HTTPConnectionInput {
  // The client and its socket.
  /// The connection has come. - Parameter isStopping: the server stops, so this is for one request at most.
  case opened(isStopping: Bool)
  case part(HTTPServerRequestPart)
  /// All that was in the socket has been read. - Parameter bytesRead: what the parser has taken since the connection began.
  case readCompleted(bytesRead: Int)
  /// More would be read now.
  case readAsked
  /// The client has closed its sending side.
  case inputClosed
  /// The parser cannot read it.
  case unreadable
  /// The socket failed, or what lies above it.
  case failed
  /// The connection is gone, or another protocol's.
  case ended

  // The request, as far as it has been looked at.
  case judged(HTTPHeadVerdict)
  /// The engine answers whenever it likes. - Parameter mayWait: for long, too.
  case polls(mayWait: Bool)
  /// A task works on the answer.
  case routes
  /// What had to be done before a request that is routed can be served is done; another one of these follows.
  case resumes
  /// The request is refused before it has been read whole.
  case refuses

  // The answer.
  /// A whole response goes to the socket, or the last part of one.
  case answers
  /// The head of a response whose body leaves in parts goes to the socket.
  /// - Parameter hasLength: the head says how long the body is.
  case streams(hasLength: Bool, isEventStream: Bool)
  /// One more part of it goes to the socket.
  case partBegins
  /// The client's socket has taken it.
  case partWritten
  /// The client's socket has taken the whole response, or never will.
  case written(success: Bool)

  // Time and the server.
  /// - Parameter now: the milliseconds of the connection's loop.
  case deadlinePassed(now: Int64)
  case stops
  case cut
}

/// What whoever has looked at a head says of it.
package struct HTTPHeadVerdict: Equatable {
  /// Of the body, in bytes.
  var bodyBytesMaximum: Int
  /// The request will be refused; its body is read only to keep the connection.
  var isRefused: Bool
  /// The milliseconds of the connection's loop.
  var now: Int64
  /// What the parser has taken since the connection began.
  var bytesRead: Int

  package init(bodyBytesMaximum: Int, isRefused: Bool = false, now: Int64, bytesRead: Int) {
    self.bodyBytesMaximum = bodyBytesMaximum
    self.isRefused = isRefused
    self.now = now
    self.bytesRead = bytesRead
  }
}
