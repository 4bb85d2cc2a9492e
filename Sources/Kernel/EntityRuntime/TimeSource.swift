public import EventSourcing
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where the runtime gets the time from: the machine, or a test.
public protocol TimeSource: Sendable {
  /// Wall-clock time, for events and journalled deadlines.
  var now: Timestamp { get }
  /// Milliseconds that only ever grow, for delays; their zero means nothing.
  var monotonicMilliseconds: Int64 { get }
}

public struct SystemTime: TimeSource {
  public init() {}

  public var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  public var monotonicMilliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// A clock that stands still until it is told to move.
public final class ManualTime: TimeSource {
  private let start: Timestamp
  private let elapsed = Atomic<Int64>(0)

  public init(start: Timestamp) { self.start = start }

  public var now: Timestamp { Timestamp(milliseconds: start.milliseconds + monotonicMilliseconds) }
  public var monotonicMilliseconds: Int64 { elapsed.load(ordering: .sequentiallyConsistent) }

  public func advance(by duration: Duration) {
    elapsed.add(duration.wholeMilliseconds, ordering: .sequentiallyConsistent)
  }
}
