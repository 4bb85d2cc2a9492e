public import JournalFormat

extension JournalWriter {
  /// Makes durable what waits, ends the current segment, and begins the next. For threads: never call it from a task.
  ///
  /// A segment without any frame is not ended once more: then the result is the end of the one before.
  /// - Returns: the end of the sealed segment; the next record comes behind it.
  /// - Throws: `storageFull` if the disk has no room for the next segment: what waited is durable then (in stepped mode
  ///   it may wait on), nothing was sealed, and the journal goes on. `failed`, `closed`.
  public func roll() throws(JournalError) -> JournalPoint {
    lock.lock()
    defer { lock.unlock() }
    if configuration.isStepped, stalledFrame != nil {
      resume()
      if stalledFrame != nil { throw .storageFull }
    }
    while pipeline.isCommitting {
      precondition(!configuration.isStepped, "in stepped mode nobody rolls while waiters are called")
      blockedThreadCount += 1
      commitNews.wait(lock)
      blockedThreadCount -= 1
    }
    if pipeline.hasFailed { throw .failed }
    if isClosing { throw .closed }
    let seal = commit(sealing: true)
    if isWakeRequested || isClosing { writerNews.signal() }
    guard let seal else { throw pipeline.hasFailed ? .failed : .storageFull }
    return seal
  }
}
