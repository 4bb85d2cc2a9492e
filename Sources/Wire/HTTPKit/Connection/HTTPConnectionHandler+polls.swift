import ServerKit

/// Requests that somebody answers whenever it likes.
extension HTTPConnectionHandler {
  /// Leaves the request to `poll`, which has `answersPoll` asked and the answer written.
  /// - Parameter mayWait: for long: whoever closes the sending side meanwhile has left.
  package func hold(for poll: any HTTPPoll, mayWait: Bool) {
    self.poll = poll
    isHeld = mayWait
    tell(.polls(mayWait: mayWait))
    services.heldPolls.open()
  }

  /// Whether there is somebody to be answered; then the answer has to be written now. Else the poll is told that its
  /// answer was not.
  package func answersPoll() -> Bool {
    guard machine.isPolling, context != nil else {
      poll?.written(success: false)
      return false
    }
    services.heldPolls.close()
    arrival.begin()
    return true
  }
}
