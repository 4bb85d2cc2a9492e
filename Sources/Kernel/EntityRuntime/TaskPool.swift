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
  public func spawn(_ job: @escaping Job) -> Bool {
    guard running.add(1, ordering: .relaxed).newValue <= limit, case .enqueued = feed.yield(job) else {
      running.subtract(1, ordering: .relaxed)
      return false
    }
    return true
  }

  /// Tasks that wait or run.
  public var count: Int { running.load(ordering: .relaxed) }

  /// Lets `run` return once the tasks that run are done.
  public func finish() { feed.finish() }

  /// Runs the jobs until `finish`.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for await job in jobs {
        group.addTask { [self] in
          await job()
          running.subtract(1, ordering: .relaxed)
        }
      }
    }
  }
}
