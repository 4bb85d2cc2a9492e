internal import JournalFormat

extension JournalWriter {
  /// Whether `step` would write or release something, the confirming frame apart. Stepped mode only.
  package var needsStep: Bool {
    lock.lock()
    defer { lock.unlock() }
    return !pipeline.hasFailed && (!pending.isEmpty || !waiters.isEmpty || stalledFrame != nil)
  }

  /// Makes durable all that waits, on the calling thread, and releases the waiters in order before it returns. What
  /// they append waits for the next step. Stepped mode only; does nothing when called by a waiter, or after a failure.
  ///
  /// With a full disk the commit stalls where the next segment is due, and later steps go on with it.
  /// - Parameter confirming: afterwards be like a writer that has become idle, and write the confirming frame if it is
  ///   owed.
  package func step(confirming: Bool = false) {
    precondition(configuration.isStepped, "a writer with a thread steps by itself")
    lock.lock()
    defer { lock.unlock() }
    if isClosing || pipeline.hasFailed { return }
    // What a thread would do in the background: only a full disk left something to do.
    log.step()
    commitAndConfirm(confirming: confirming)
  }

  /// Goes on with a commit that found the disk full. The lock is held.
  func resume() {
    guard let stalledFrame else { return }
    _ = write(from: stalledFrame, sealing: false)
  }

  /// The end of a stepped writer: what its thread would do when it is told to close.
  func finishSteps() {
    lock.lock()
    defer { lock.unlock() }
    if pipeline.hasFailed { return }
    commitAndConfirm(confirming: true)
    if !pipeline.hasFailed, stalledFrame != nil || pipeline.needsConfirmation { fail(.storageFull) }
  }

  private func commitAndConfirm(confirming: Bool) {
    resume()
    if pipeline.isCommitting || pipeline.hasFailed { return }
    if !pending.isEmpty || !waiters.isEmpty { commit() }
    if pipeline.isCommitting || pipeline.hasFailed { return }
    if confirming, pending.isEmpty, pipeline.needsConfirmation { confirm() }
  }
}
