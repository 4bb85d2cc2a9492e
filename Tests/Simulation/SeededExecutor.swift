#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs all jobs of Swift's concurrency on the calling thread, in an order that a seed decides.
///
/// The concurrency runtime asks an exported variable, `swift_task_enqueueGlobal_hook`, before it hands a job to its pool
/// of threads. Ours keeps the job until `run` takes one of those that wait. What has an order of its own (one actor's
/// turns, a lane) keeps it; everything else may happen in any order, as on a machine with many cores.
///
/// Sleeping tasks and `Task.yield` do not pass through that variable: what is simulated must not use them.
/// One for the process, used by one thread; that is why its mutable state may be unsafe.
enum SeededExecutor {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  nonisolated(unsafe) private static var waiting: [UnownedJob] = []
  nonisolated(unsafe) private static var chance = Chance(seed: 0)
  nonisolated(unsafe) private(set) static var isRunning = false
  /// The runtime's own generic executor: jobs of no particular actor.
  private static let generic = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

  /// To be called once, before the first task.
  static func install() {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
      preconditionFailure("this Swift runtime has no hook for the global executor")
    }
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in SeededExecutor.waiting.append(job) }
  }

  /// Begins a run; the jobs of the one before are over, or will never be.
  static func begin(seed: UInt64) {
    waiting.removeAll(keepingCapacity: true)
    chance = Chance(seed: seed)
  }

  static var isIdle: Bool { waiting.isEmpty }

  /// Runs jobs, each drawn from those that wait, until none is left.
  /// - Returns: how many ran, at most `maximum`.
  @discardableResult
  static func run(atMost maximum: Int = .max) -> Int {
    precondition(!isRunning, "a job cannot run the others: its thread is busy with it")
    isRunning = true
    defer { isRunning = false }
    var count = 0
    while count < maximum, !waiting.isEmpty {
      if waiting.count > 1 { waiting.swapAt(chance.below(waiting.count), waiting.count - 1) }
      waiting.removeLast().runSynchronously(on: generic)
      count += 1
    }
    return count
  }
}
