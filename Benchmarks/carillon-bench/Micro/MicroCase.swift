import BenchReport

/// One operation of the hot paths, by itself on one thread.
struct MicroCase {
  /// Behind `micro.`.
  let name: String
  /// What one operation is.
  let about: String
  /// Makes what the operation needs; what it returns does so many of them.
  let prepare: () throws -> (_ count: Int) throws -> Void

  /// Batches of which the median counts.
  private static let batches = 5
  /// The first ones look everything up, and grow and fill what is kept.
  private static let warmUp = 1_000

  /// Nanoseconds, allocations and bytes of one operation.
  func measure(for duration: Duration) throws -> [Measurement] {
    let run = try prepare()
    func elapsed(_ count: Int) throws -> Duration {
      let began = ContinuousClock.now
      try run(count)
      return ContinuousClock.now - began
    }
    try run(Self.warmUp)
    let count = max(1, Int(Double(Self.warmUp) * (duration / Self.batches / (try elapsed(Self.warmUp)))))
    let nanoseconds = try (0..<Self.batches).map { _ in try elapsed(count).inSeconds * 1e9 / Double(count) }
    let before = try AllocationCount.taken()
    try run(Self.warmUp)
    let after = try AllocationCount.taken()
    func each(_ path: KeyPath<AllocationCount, UInt64>) -> Double {
      Double(after[keyPath: path] - before[keyPath: path]) / Double(Self.warmUp)
    }
    return [
      Measurement(
        "micro.\(name)", nanoseconds.sorted()[Self.batches / 2], "ns/operation",
        settings: "\(about); median of \(Self.batches) batches of \(count)"),
      Measurement("micro.\(name).allocations", each(\.requests), "allocations/operation"),
      Measurement("micro.\(name).bytes", each(\.bytes), "bytes/operation", settings: "as jemalloc rounds them"),
    ]
  }

  /// To the optimiser, somebody who wants to know this.
  @_optimize(none)
  static func keep<Value>(_ value: Value) {}

  /// As people write.
  static let text: String = {
    var random = SplitMix64(seed: 1)
    return MessageText.make(&random)
  }()
}
