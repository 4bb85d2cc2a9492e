internal import JournalFormat

extension JournalWriter {
  /// Appends one record; never waits for the disk.
  ///
  /// - Parameters:
  ///   - waiter: released, in journal order, once the record is on the disk.
  ///   - lazy: nobody waits for it: it rides on the next frame, and is written at the latest after
  ///     `JournalConfiguration.lazyInterval`.
  /// - Returns: the position of the record.
  /// - Throws: `keyTooLong`, `tooLarge`, `overloaded`, `storageFull`, `failed`, `closed`; nothing was appended then.
  @discardableResult
  public func append(
    kind: UInt8, key: String, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16, payload: [UInt8],
    waiter: (any DurabilityWaiter)? = nil, lazy: Bool = false
  ) throws(JournalError) -> UInt64 {
    try appendUnit(of: 1, timeMilliseconds: timeMilliseconds, waiter, lazy: lazy) {
      (batch: inout RecordBatch) throws(RecordRejection) in
      try batch.append(
        kind: kind, key: key, sequence: sequence, timeMilliseconds: timeMilliseconds, tag: tag, payload: payload)
    }
  }

  /// Appends records that belong together: after a crash either all of them are there or none.
  ///
  /// - Returns: the position of the last record, of the last one before if `records` is empty.
  /// - Throws: as the other `append`.
  @discardableResult
  public func append(
    _ records: [PendingRecord], waiter: (any DurabilityWaiter)? = nil, lazy: Bool = false
  ) throws(JournalError) -> UInt64 {
    guard let first = records.first else {
      lock.lock()
      defer { lock.unlock() }
      try admit()
      if let waiter {
        waiters.append(waiter)
        wakeWriter(lazy: lazy)
      }
      return pipeline.assign(0)
    }
    return try appendUnit(of: records.count, timeMilliseconds: first.timeMilliseconds, waiter, lazy: lazy) {
      (batch: inout RecordBatch) throws(RecordRejection) in
      for record in records {
        try batch.append(
          kind: record.kind, key: record.key, sequence: record.sequence, timeMilliseconds: record.timeMilliseconds,
          tag: record.tag, payload: record.payload)
      }
    }
  }

  /// Appends what `write` puts into the batch, all of it or nothing.
  @inline(__always)
  private func appendUnit(
    of count: Int, timeMilliseconds: Int64, _ waiter: (any DurabilityWaiter)?, lazy: Bool,
    _ write: (inout RecordBatch) throws(RecordRejection) -> Void
  ) throws(JournalError) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    try admit()
    pending.beginUnit(firstPosition: pipeline.nextPosition, timeMilliseconds: timeMilliseconds)
    do throws(RecordRejection) {
      try write(&pending)
    } catch {
      pending.cancelUnit()
      throw JournalError(error)
    }
    let position = pipeline.assign(count)
    if let waiter { waiters.append(waiter) }
    wakeWriter(lazy: lazy)
    return position
  }

  /// Makes `waiter` wait for `position`, after everybody who waits already; nothing is appended.
  ///
  /// - Parameter position: the one that the state was made at, which the caller read.
  /// - Returns: true if the position is on the disk and nobody waits: then `waiter` is not called, the caller goes on
  ///   itself.
  /// - Throws: `overloaded`, `failed`, `closed`.
  public func enqueue(_ waiter: any DurabilityWaiter, for position: UInt64) throws(JournalError) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if pipeline.hasFailed { throw .failed }
    if position <= pipeline.durablePosition, waiters.isEmpty, !isDelivering, delivery.waitingCount == 0 { return true }
    if isClosing { throw .closed }
    guard hasRoomForWaiter else { throw .overloaded }
    waiters.append(waiter)
    wakeWriter(lazy: false)
    return false
  }

  /// Whether one more append is taken; the lock is held.
  private func admit() throws(JournalError) {
    if pipeline.hasFailed { throw .failed }
    if isClosing { throw .closed }
    if room.isFull, isNearEnd || stalledFrame != nil { throw .storageFull }
    guard pending.byteCount < configuration.pendingByteCountMaximum, hasRoomForWaiter else { throw .overloaded }
  }

  private var hasRoomForWaiter: Bool {
    waiters.count + undeliveredCount < configuration.pendingWaiterCountMaximum
  }

  /// The lock is held.
  private func wakeWriter(lazy: Bool) {
    if !lazy { isWakeRequested = true }
    // A lazy record needs the thread only to look at the clock, which it does already if others wait with it.
    if parking == .forever || parking == .idleInterval || (!lazy && parking == .lazyInterval) {
      parking = .none
      writerNews.signal()
    }
  }
}
