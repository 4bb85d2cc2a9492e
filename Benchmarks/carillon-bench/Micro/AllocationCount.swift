import CJemalloc

/// What jemalloc has been asked for so far: every `malloc` of this process, Swift's objects and arrays among them,
/// whether memory was at hand or not. One that grows in place is none.
struct AllocationCount {
  /// Of all threads.
  let requests: UInt64
  /// Of the calling thread, in the sizes that jemalloc rounds up to.
  let bytes: UInt64

  /// - Throws: `BenchError` if this jemalloc keeps no statistics.
  static func taken() throws -> AllocationCount {
    // What a thread's cache has handed out is counted when it is emptied, and shown from the next epoch on.
    _ = mallctl("thread.tcache.flush", nil, nil, nil, 0)
    var epoch: UInt64 = 1
    _ = mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
    return AllocationCount(
      requests: try value("stats.arenas.\(allArenas).small.nrequests")
        + value("stats.arenas.\(allArenas).large.nrequests"),
      bytes: try value("thread.allocated"))
  }

  private static func value(_ name: String) throws -> UInt64 {
    var value: UInt64 = 0
    var size = MemoryLayout<UInt64>.size
    guard mallctl(name, &value, &size, nil, 0) == 0 else { throw BenchError("jemalloc does not tell \(name)") }
    return value
  }

  /// `MALLCTL_ARENAS_ALL`
  private static let allArenas = 4_096
}
