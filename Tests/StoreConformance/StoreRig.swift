package import Journal

/// A store with two partitions, and what a check does to it from outside. Every rig begins with nothing in it.
package protocol StoreRig: Sendable {
  var store: any JournalStore { get }

  /// A store as the next process finds it if this one were killed now: nothing is flushed, and no writer is left.
  func crashed() throws -> any StoreRig

  /// Somebody else has begun to write a journal in `epoch`, and that is known here.
  func relieve(_ partition: PartitionID, by epoch: UInt32) throws

  /// A journal is to be written here, in a higher epoch than before; no writer is open.
  ///
  /// - Returns: that epoch.
  func takeOver(_ partition: PartitionID) throws -> UInt32

  /// Changes one byte of a sealed segment's records; no writer is open.
  func damage(_ segment: SegmentInfo) throws

  /// Changes one byte of a snapshot's states.
  func damage(_ snapshot: SnapshotFile) throws

  /// What goes wrong when it is told to; nil if nothing obeys.
  var faults: (any StoreFaults)? { get }
}

/// What a store meets.
package protocol StoreFaults: Sendable {
  /// From now on there is room for so many bytes more, of whatever partition; nil: for all.
  func setRoom(_ byteCount: Int?)

  /// Whatever is to be durable fails, for good.
  func breakDown()

  /// Holds back what is to be durable.
  ///
  /// - Returns: what waits until a write is held, and what lets all of them go.
  func hold() -> (awaitWrite: @Sendable () -> Void, letGo: @Sendable () -> Void)
}
