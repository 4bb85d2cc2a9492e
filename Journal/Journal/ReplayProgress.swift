import Synchronization

/// How far a start has read its journal: whoever waits for it may ask at any time, from any thread.
public final class ReplayProgress: Sendable {
  private let read = Atomic<Int>(0)
  private let count = Atomic<Int>(0)
  private let handedOn = Atomic<UInt64>(0)

  public init() {}

  /// The segment that is being read; 1 is the first that has to be. 0 before that.
  public var segment: Int { read.load(ordering: .relaxed) }
  /// Segments that have to be read, with the last one; 0 while nobody knows.
  public var segmentCount: Int { count.load(ordering: .relaxed) }
  /// Records handed to the replay.
  public var records: UInt64 { handedOn.load(ordering: .relaxed) }

  /// A replay begins, perhaps once more: over another snapshot, or none.
  func begin(segmentCount: Int) {
    count.store(segmentCount, ordering: .relaxed)
    read.store(0, ordering: .relaxed)
    handedOn.store(0, ordering: .relaxed)
  }

  func reached(segment: Int, records: UInt64) {
    read.store(segment, ordering: .relaxed)
    handedOn.store(records, ordering: .relaxed)
  }
}
