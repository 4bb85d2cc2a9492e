/// Lets one long job of the house run at a time: a snapshot, a redaction, a move to the archive.
///
/// They wait for each other in the order in which they came; the service goes on meanwhile.
package actor Housekeeper {
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func alone<Value: Sendable, Failure: Error>(
    _ job: @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if isBusy {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isBusy = true
    }
    defer {
      // The next one takes the turn over, so that nobody comes in between.
      if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
    return try await job()
  }
}
