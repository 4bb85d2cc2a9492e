import DequeModule
import Synchronization

/// A queue of jobs that one long-lived task works off in order.
///
/// Event loops and timers cannot await an actor, and a task for each message would cost more than the message. They
/// put a job here instead: the lane's task awaits the entity, which for an idle actor costs no thread switch.
public final class Lane: Sendable {
  public typealias Job = @Sendable () async -> Void

  private struct State {
    var jobs = Deque<Job>()
    var sleeper: CheckedContinuation<Void, Never>?
    var isFinished = false
  }

  private let state = Mutex(State())

  public init() {}

  /// Any thread; never blocks.
  /// - Returns: false after `finish`: the job will not run.
  @discardableResult
  public func enqueue(_ job: @escaping Job) -> Bool {
    // Not as several of which there is one: each message comes by here.
    add { $0.append(job) }
  }

  /// As `enqueue`, for several jobs that keep their order.
  @discardableResult
  public func enqueue(contentsOf jobs: some Collection<Job>) -> Bool { add { $0.append(contentsOf: jobs) } }

  private func add(_ body: (inout Deque<Job>) -> Void) -> Bool {
    let (isTaken, sleeper) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      guard !state.isFinished else { return (false, nil) }
      body(&state.jobs)
      defer { state.sleeper = nil }
      return (true, state.sleeper)
    }
    sleeper?.resume()
    return isTaken
  }

  /// Jobs that wait.
  public var count: Int { state.withLock { $0.jobs.count } }

  /// Lets `run` return once the jobs that wait are done.
  public func finish() {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.isFinished = true
      defer { state.sleeper = nil }
      return state.sleeper
    }
    sleeper?.resume()
  }

  /// Works the queue off until `finish`.
  public func run() async {
    while true {
      let jobs = state.withLock { state -> Deque<Job> in
        var taken = Deque<Job>()
        swap(&taken, &state.jobs)
        return taken
      }
      for job in jobs { await job() }
      if jobs.isEmpty {
        if state.withLock({ $0.isFinished && $0.jobs.isEmpty }) { return }
        await withCheckedContinuation { continuation in
          let resumesAtOnce = state.withLock { state -> Bool in
            if !state.jobs.isEmpty || state.isFinished { return true }
            state.sleeper = continuation
            return false
          }
          if resumesAtOnce { continuation.resume() }
        }
      }
    }
  }
}

/// A fixed number of lanes; what has the same key goes to the same lane and keeps its order.
public final class Lanes: Sendable {
  private let lanes: [Lane]

  public init(count: Int) {
    precondition(count > 0, "work needs a lane")
    lanes = (0..<count).map { _ in Lane() }
  }

  public subscript(key: Int) -> Lane { lanes[Int(UInt(bitPattern: key) % UInt(lanes.count))] }

  /// Asks whether they still work: `answered` is called once each has come to the job that was put there then, and never
  /// while one of them stands still, or after `finish`.
  public func pulse(_ answered: @escaping @Sendable () -> Void) { pass(lanes[...], answered) }

  /// One after the other: who asks again only when it is answered has one job in one lane.
  private func pass(_ rest: ArraySlice<Lane>, _ answered: @escaping @Sendable () -> Void) {
    guard let next = rest.first else { return answered() }
    next.enqueue { [self] in pass(rest.dropFirst(), answered) }
  }

  public func finish() { for lane in lanes { lane.finish() } }

  public func run() async {
    await withDiscardingTaskGroup { group in
      for lane in lanes { group.addTask { await lane.run() } }
    }
  }
}
