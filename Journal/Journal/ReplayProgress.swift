import Synchronization

/// How far a start has read its journal: whoever waits for it may ask at any time, from any thread.
public final class ReplayProgress: Sendable {
  private let read = Atomic<Int>(0)
  private let count = Atomic<Int>(0)
  private let handedOn = Atomic<UInt64>(0)
  private let parts = Mutex<[ReplayProgress]>([])

  public init() {}

  /// How far one of several journals is that are read at the same time; what this says is of all of them together.
  package func part() -> ReplayProgress {
    let part = ReplayProgress()
    parts.withLock { $0.append(part) }
    return part
  }

  private func sum<Number: AdditiveArithmetic>(_ own: Number, _ number: (ReplayProgress) -> Number) -> Number {
    parts.withLock { $0 }.reduce(own) { $0 + number($1) }
  }

  /// The segment that is being read; 1 is the first that has to be. 0 before that.
  public var segment: Int { sum(read.load(ordering: .relaxed)) { $0.segment } }
  /// Segments that have to be read, with the last one; 0 while nobody knows.
  public var segmentCount: Int { sum(count.load(ordering: .relaxed)) { $0.segmentCount } }
  /// Records handed to the replay.
  public var records: UInt64 { sum(handedOn.load(ordering: .relaxed)) { $0.records } }

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
