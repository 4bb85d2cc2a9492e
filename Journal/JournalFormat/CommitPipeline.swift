/// Who may commit, and how far the log is: the arithmetic of group commit, without threads.
///
/// ```
///          assign             begin              finish
///   idle ─────────> waiting ─────────> committing ─────────> idle (or waiting: more came meanwhile)
///                                          │ fail
///                                          └───────> failed: for ever; nothing becomes durable any more
/// ```
public struct CommitPipeline: Sendable, Equatable {
  /// The last position given out.
  public private(set) var lastPosition: UInt64
  /// The last position on the disk; never falls, never passes `lastPosition`.
  public private(set) var durablePosition: UInt64
  public private(set) var isCommitting = false
  public private(set) var hasFailed = false
  /// Frames with records were written since the last confirming frame.
  public private(set) var needsConfirmation = false
  private var committingPosition: UInt64 = 0

  public init(lastPosition: UInt64, needsConfirmation: Bool) {
    self.lastPosition = lastPosition
    self.needsConfirmation = needsConfirmation
    durablePosition = lastPosition
  }

  /// The position of the next record.
  public var nextPosition: UInt64 { lastPosition + 1 }

  /// The position after the last record of the commit under way.
  public var committingEnd: UInt64 { committingPosition + 1 }

  /// Gives positions to `count` records and returns that of the last.
  public mutating func assign(_ count: Int) -> UInt64 {
    lastPosition += UInt64(count)
    return lastPosition
  }

  /// Takes the commit role for all that was assigned so far.
  public mutating func begin() {
    precondition(!isCommitting && !hasFailed, "one commit at a time, and none after a failure")
    isCommitting = true
    committingPosition = lastPosition
  }

  /// The frames are on the disk.
  ///
  /// - Parameter confirming: the frame was an empty one.
  public mutating func synced(confirming: Bool) {
    precondition(isCommitting, "only what was begun becomes durable")
    if committingPosition > durablePosition {
      durablePosition = committingPosition
      needsConfirmation = true
    }
    if confirming { needsConfirmation = false }
  }

  /// Gives the commit role back.
  public mutating func finish() { isCommitting = false }

  /// A write or a sync failed: nothing is durable any more, whatever a later sync would say.
  public mutating func fail() {
    hasFailed = true
    isCommitting = false
  }
}
