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
    kind: UInt8, key: UnsafeRawBufferPointer, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16,
    payload: UnsafeRawBufferPointer, waiter: (any DurabilityWaiter)? = nil, lazy: Bool = false
  ) throws(JournalError) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    try admit()
    pending.beginUnit(firstPosition: pipeline.nextPosition, timeMilliseconds: timeMilliseconds)
    do {
      try pending.append(
        kind: kind, key: key, sequence: sequence, timeMilliseconds: timeMilliseconds, tag: tag, payload: payload)
    } catch {
      pending.cancelUnit()
      throw JournalError(error)
    }
    let position = pipeline.assign(1)
    if let waiter { waiters.append(waiter) }
    wakeWriter(lazy: lazy)
    return position
  }

  /// Appends one record whose key is text; see `append(kind:key:sequence:timeMilliseconds:tag:payload:waiter:lazy:)`.
  @discardableResult
  public func append(
    kind: UInt8, key: String, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16, payload: [UInt8],
    waiter: (any DurabilityWaiter)? = nil, lazy: Bool = false
  ) throws(JournalError) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    try admit()
    pending.beginUnit(firstPosition: pipeline.nextPosition, timeMilliseconds: timeMilliseconds)
    do {
      try pending.append(
        kind: kind, key: key, sequence: sequence, timeMilliseconds: timeMilliseconds, tag: tag, payload: payload)
    } catch {
      pending.cancelUnit()
      throw JournalError(error)
    }
    let position = pipeline.assign(1)
    if let waiter { waiters.append(waiter) }
    wakeWriter(lazy: lazy)
    return position
  }

  /// Appends records that belong together: after a crash either all of them are there or none.
  ///
  /// - Returns: the position of the last record, of the last one before if `records` is empty.
  /// - Throws: as the other `append`.
  @discardableResult
  public func append(
    _ records: [PendingRecord], waiter: (any DurabilityWaiter)? = nil, lazy: Bool = false
  ) throws(JournalError) -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    try admit()
    if let first = records.first {
      pending.beginUnit(firstPosition: pipeline.nextPosition, timeMilliseconds: first.timeMilliseconds)
      do {
        for record in records {
          try pending.append(
            kind: record.kind, key: record.key, sequence: record.sequence, timeMilliseconds: record.timeMilliseconds,
            tag: record.tag, payload: record.payload)
        }
      } catch {
        pending.cancelUnit()
        throw JournalError(error)
      }
    }
    let position = pipeline.assign(records.count)
    if let waiter { waiters.append(waiter) }
    if waiter != nil || !records.isEmpty { wakeWriter(lazy: lazy) }
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
    if preallocator.isDiskFull,
      segmentOffset >= configuration.segmentByteCount / 100 * Limits.fullDiskSegmentPercent || stalledFrame != nil
    {
      throw .storageFull
    }
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
