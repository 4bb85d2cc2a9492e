package import JournalFormat
internal import Synchronization

/// Where a writer's frames go: `JournalWriter` gathers records, keeps their order and knows who waits; a frame log makes
/// them durable, in files or elsewhere.
///
/// ```
///   JournalWriter ──write, confirm, seal──> FrameLog ──> the disk        once for a group of records, never for each
///        └───────────── room.isFull ──────────┘                          for each append; no call through the protocol
/// ```
/// Whoever has the commit role makes one call at a time; `room` and `giveUpWhenFull` are for any thread.
package protocol FrameLog: AnyObject, Sendable {
  /// Of all that is written.
  var epoch: UInt32 { get }
  /// Whether there is room for what comes; the same object for ever.
  var room: LogRoom { get }
  /// With no more room than it has it takes no new records, so that those it has taken find a place.
  var isNearEnd: Bool { get }

  /// All that is durable.
  ///
  /// - Parameter position: of the last record in it.
  func extent(at position: UInt64) -> DurableExtent

  /// Writes the frames of `batch` from `first` on and returns when they are durable.
  ///
  /// - Parameters:
  ///   - durablePosition: of what was durable before.
  ///   - waitsForRoom: wait until there is room, or until `giveUpWhenFull`.
  /// - Returns: the first frame that was not written, because there is no room for it; `batch.frames.count` if all were.
  /// - Throws: fatal; how much of the batch is durable, nobody knows.
  func write(
    _ batch: borrowing RecordBatch, from first: Int, durablePosition: UInt64, waitsForRoom: Bool
  ) throws(JournalError) -> Int

  /// Writes a frame that says that all before it is durable.
  ///
  /// - Returns: false if there is no room for it; nothing was written then.
  /// - Throws: as `write`.
  func confirm(nextPosition: UInt64, waitsForRoom: Bool) throws(JournalError) -> Bool

  /// Ends this segment, unless it has no frame yet and another stands before it, and begins the next.
  ///
  /// - Returns: the end of the sealed segment; nil if there is no room for the next one: nothing was written then.
  /// - Throws: as `write`.
  func seal(nextPosition: UInt64) throws(JournalError) -> JournalPoint?

  /// Stepped mode only: does what it would do beside the writer if it had a thread of its own.
  func step()
  /// Lets nobody wait for room any more.
  func giveUpWhenFull()
  /// The last call: all that was written stays, and another may write.
  func close()
}

/// Whether a log has room for more. Whoever appends looks at it each time, so it is no matter of the protocol's.
package final class LogRoom: Sendable {
  private let full = Atomic(false)

  package init() {}

  /// Soon appends will be refused, if they are not already. Goes by itself.
  package var isFull: Bool {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }
}
