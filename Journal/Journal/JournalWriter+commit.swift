internal import JournalFormat

extension JournalWriter {
  /// Waits until `position` is on the disk. For threads: never call it from a task.
  ///
  /// If nobody is committing, the calling thread does it, which saves two changes of thread. Append with `lazy: true`
  /// before this, and the writer's thread is not even woken.
  /// - Throws: `failed`; in stepped mode also `storageFull`, where it would otherwise wait for room.
  public func waitUntilDurable(_ position: UInt64) throws(JournalError) {
    lock.lock()
    defer { lock.unlock() }
    while pipeline.durablePosition < position {
      if pipeline.hasFailed { throw .failed }
      precondition(position <= pipeline.lastPosition, "only a position that was given out becomes durable")
      if configuration.isStepped {
        precondition(!pipeline.isCommitting || stalledFrame != nil, "a waiter waits for nothing")
        if pipeline.isCommitting { resume() } else { commit() }
        if stalledFrame != nil { throw .storageFull }
      } else if pipeline.isCommitting {
        blockedThreadCount += 1
        commitNews.wait(lock)
        blockedThreadCount -= 1
      } else {
        commit()
        if isWakeRequested || isClosing { writerNews.signal() }
      }
    }
  }

  /// The writer's thread.
  func run() {
    lock.lock()
    defer { lock.unlock() }
    var ended = Parking.none
    while !pipeline.hasFailed {
      if !pipeline.isCommitting {
        let hasWork = !pending.isEmpty || !waiters.isEmpty
        if hasWork, isWakeRequested || isClosing || ended != .none {
          ended = .none
          commit()
          continue
        }
        let isIdle = ended == .idleInterval
        if pipeline.needsConfirmation, isClosing || (isIdle && recentCommitCount == 0) {
          confirm()
          continue
        }
        if isClosing { return }
        if isIdle { recentCommitCount = 0 }
      }
      ended = park()
    }
  }

  /// Waits for news. - Returns: the interval that passed without any; `none` if there were some.
  private func park() -> Parking {
    let interval: Duration
    if !pending.isEmpty || pipeline.isCommitting {
      // Whoever is committing may leave something lazy behind.
      parking = .lazyInterval
      interval = configuration.lazyInterval
    } else if pipeline.needsConfirmation {
      parking = .idleInterval
      interval = configuration.idleInterval
    } else {
      parking = .forever
      defer { parking = .none }
      writerNews.wait(lock)
      return .none
    }
    let ended = parking
    defer { parking = .none }
    let (seconds, attoseconds) = interval.components
    let nanoseconds = UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    return writerNews.wait(lock, nanoseconds: nanoseconds) ? .none : ended
  }

  /// Takes the commit role, makes durable all that waits, delivers, and gives the role back. The lock is held before
  /// and after, but not meanwhile.
  ///
  /// - Parameter sealing: end the segment behind it.
  /// - Returns: the seal that was asked for; nil if the disk has no room for another segment, or failed.
  @discardableResult
  func commit(sealing: Bool = false) -> JournalPoint? {
    pipeline.begin()
    isWakeRequested = false
    recentCommitCount += 1
    swap(&pending, &committing)
    swap(&waiters, &committingWaiters)
    isDelivering = !committingWaiters.isEmpty
    return write(from: 0, sealing: sealing)
  }

  /// The second half of a commit. In stepped mode it may be begun again with the frame where it stalled.
  func write(from first: Int, sealing: Bool) -> JournalPoint? {
    let durablePosition = pipeline.durablePosition
    let nextPosition = pipeline.committingEnd
    var seal: JournalPoint?
    var firstUnwritten = first
    lock.unlock()
    var failure: JournalError?
    let start = ContinuousClock.now
    do {
      if !committing.isEmpty {
        firstUnwritten = try log.write(
          committing, from: first, durablePosition: durablePosition, waitsForRoom: !configuration.isStepped)
      }
      if firstUnwritten < committing.frames.count {
        if !configuration.isStepped { failure = .storageFull }
      } else if sealing {
        seal = try log.seal(nextPosition: nextPosition)
      }
    } catch {
      failure = error
    }
    lock.lock()
    if let failure {
      fail(failure)
      return nil
    }
    isNearEnd = log.isNearEnd
    if firstUnwritten > first || sealing {
      let duration = ContinuousClock.now - start
      figures.add(duration, endedAt: configuration.clock())
      configuration.onSync(duration)
    }
    stalledFrame = firstUnwritten < committing.frames.count ? firstUnwritten : nil
    if stalledFrame != nil { return nil }
    pipeline.synced(confirming: seal != nil)
    // Those who block learn of it before the others: they were counted under the lock, the rest takes its time.
    if blockedThreadCount > 0 { commitNews.broadcast() }
    advance()
    if !committingWaiters.isEmpty {
      let reached = pipeline.durablePosition
      lock.unlock()
      delivery.hand(&committingWaiters, position: reached)
      let left = delivery.waitingCount
      lock.lock()
      undeliveredCount = left
      isDelivering = false
    }
    committing.removeAll(keepingAtMost: Limits.idleBufferByteCount)
    pipeline.finish()
    if blockedThreadCount > 0 { commitNews.broadcast() }
    return seal
  }

  /// - Returns: false if the disk has no room for it, in stepped mode.
  @discardableResult
  func confirm() -> Bool {
    pipeline.begin()
    let nextPosition = pipeline.nextPosition
    lock.unlock()
    var failure: JournalError?
    var isDone = false
    do {
      isDone = try log.confirm(nextPosition: nextPosition, waitsForRoom: !configuration.isStepped)
    } catch {
      failure = error
    }
    lock.lock()
    if !isDone, !configuration.isStepped { failure = failure ?? .storageFull }
    if let failure {
      fail(failure)
      return false
    }
    if isDone { pipeline.synced(confirming: true) }
    isNearEnd = log.isNearEnd
    advance()
    pipeline.finish()
    if blockedThreadCount > 0 { commitNews.broadcast() }
    return isDone
  }

  func fail(_ error: JournalError) {
    pipeline.fail()
    var lost = committingWaiters + waiters
    (committingWaiters, waiters, isDelivering) = ([], [], false)
    commitNews.broadcast()
    writerNews.signal()
    lock.unlock()
    if !lost.isEmpty { delivery.hand(&lost, position: nil) }
    onFatal(error)
    lock.lock()
  }
}
