import Synchronization

/// The owner of the short tasks that cannot run on a lane because they wait for something: the network, the disk.
///
/// Bounded: beyond `limit` tasks at once, `spawn` refuses.
public final class TaskPool: Sendable {
  public typealias Job = @Sendable () async -> Void

  private let jobs: AsyncStream<Job>
  private let feed: AsyncStream<Job>.Continuation
  private let running = Atomic<Int>(0)
  private let limit: Int

  public init(limit: Int) {
    self.limit = limit
    (jobs, feed) = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .unbounded)
  }

  /// Starts `job` soon, on a task of its own that `run` awaits.
  /// - Returns: false if the pool is full or finished: the job will not run.
  public func spawn(_ job: @escaping Job) -> Bool { reserve() && start(job) }

  /// Keeps a place for a job that comes later: `start` or `giveBack` has to follow.
  /// - Returns: false if the pool is full.
  public func reserve() -> Bool {
    let hasRoom = running.add(1, ordering: .relaxed).newValue <= limit
    if !hasRoom { giveBack() }
    return hasRoom
  }

  /// As `spawn`, in a place that was reserved. - Returns: false if the pool is finished: the place is given back.
  public func start(_ job: @escaping Job) -> Bool {
    if case .enqueued = feed.yield(job) { return true }
    giveBack()
    return false
  }

  /// The place that was reserved is not needed.
  public func giveBack() { running.subtract(1, ordering: .relaxed) }

  /// Tasks that wait or run, and places that are kept.
  public var count: Int { running.load(ordering: .relaxed) }

  /// Lets `run` return once the tasks that run are done.
  public func finish() { feed.finish() }

  /// Runs the jobs until `finish`.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs {
        group.addTask { [self] in
          await job()
          giveBack()
        }
      }
    }
  }
}
