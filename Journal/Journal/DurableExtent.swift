public import JournalFormat

/// How much of a journal is on the disk: all bytes of the segment before the offset, and all segments before it. They are
/// what they will be, and end with a whole frame or a segment's header.
public struct DurableExtent: Sendable, Equatable {
  /// The end of the last frame; of a segment without one, that of the segment before.
  public let point: JournalPoint
  /// The end of it in the file of the segment that is being written.
  public let offset: Int
  /// Of that segment.
  public let epoch: UInt32

  /// Of the segment that is being written.
  public var segmentNumber: UInt64 { point.segmentNumber }
  /// Of the last record; 0 without any.
  public var position: UInt64 { point.position }
}

extension JournalWriter {
  /// How much is on the disk. Any thread.
  public var durableExtent: DurableExtent {
    lock.lock()
    defer { lock.unlock() }
    return reached
  }

  /// Has `hook` called after each commit that has put something on the disk, before those who wait for it are released.
  ///
  /// - Parameter hook: called by whoever commits, one call at a time, with no lock held; the next commit waits for it, so
  ///   it is short and waits for nothing. Takes the place of an earlier one.
  public func onDurable(_ hook: @escaping @Sendable (DurableExtent) -> Void) {
    lock.lock()
    durableHook = hook
    lock.unlock()
  }

  /// Remembers what is on the disk now, and tells of it. The lock is held before and after, and let go meanwhile if
  /// somebody is told.
  func advance() {
    let extent = log.extent(at: pipeline.durablePosition)
    guard extent != reached else { return }
    reached = extent
    guard let durableHook else { return }
    lock.unlock()
    durableHook(extent)
    lock.lock()
  }
}
