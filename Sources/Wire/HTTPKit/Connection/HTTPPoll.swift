/// A request that is answered whenever its answer is there. Called on the connection's event loop.
package protocol HTTPPoll {
  /// The client's socket has taken the answer, or never will.
  func written(success: Bool)
  /// The client has left before the answer.
  func departed()
}
