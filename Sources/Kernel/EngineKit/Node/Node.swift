package import EntityRuntime
import EventSourcing
package import Logging
import Synchronization

/// What belongs to the process: clock, timers, lanes, tasks, options. Partitions and capabilities share it.
package final class Node: Sendable {
  /// The decimal before the dash of service ids.
  package let number: Int
  /// The options in force; replaced as a whole when the operator reloads.
  package let options: OptionStore
  package let limits: EngineLimits
  package let environment: EngineEnvironment
  package let time: any TimeSource
  package let timers: TimerWheel
  /// Carry jobs from event loops and timers to entities.
  let lanes: Lanes
  package let tasks: TaskPool
  package let pushTasks: TaskPool
  package let identifiers: Identifiers
  /// Tells of refused attempts.
  package let security: SecurityLog
  package let logger: Logger
  private let ready = Atomic<Bool>(false)
  private let draining = Atomic<Bool>(false)

  package init(_ configuration: NodeConfiguration, environment: EngineEnvironment, logger: Logger) {
    number = configuration.number
    options = OptionStore(configuration.options)
    limits = configuration.limits
    self.environment = environment
    let time = environment.time
    self.time = time
    timers = TimerWheel(time: time)
    lanes = Lanes(count: configuration.laneCount)
    tasks = TaskPool(limit: limits.tasksMaximum)
    pushTasks = TaskPool(limit: limits.pushTasksMaximum)
    identifiers = Identifiers(randomBytes: environment.randomBytes)
    security = SecurityLog(logger: logger) { time.monotonicMilliseconds }
    self.logger = logger
  }

  /// Asks whether the process still works: `answered` is called once the timers have ticked and each lane has come to a
  /// job that was put there then, and never while one of them stands still.
  package func pulse(_ answered: @escaping @Sendable () -> Void) {
    _ = timers.schedule(afterMilliseconds: 0) { [lanes] in lanes.pulse(answered) }
  }

  /// Between 0 and 1.
  package func random() -> Double {
    var bits: UInt32 = 0
    withUnsafeMutableBytes(of: &bits) { environment.randomBytes($0) }
    return Double(bits) / Double(UInt32.max)
  }

  /// False during recovery, and from the beginning of a graceful stop.
  package var isReady: Bool { ready.load(ordering: .acquiring) }

  /// Recovery is over, unless a stop began meanwhile.
  package func becomeReady() {
    guard !draining.load(ordering: .acquiring) else { return }
    ready.store(true, ordering: .releasing)
  }

  /// A graceful stop begins. - Returns: false if it has begun already.
  package func beginDraining() -> Bool {
    ready.store(false, ordering: .releasing)
    return draining.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }

  /// Runs what belongs to the process until `finish`, but for the timers.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [lanes] in await lanes.run() }
      group.addTask { [tasks] in await tasks.run() }
      group.addTask { [pushTasks] in await pushTasks.run() }
    }
  }

  /// Waits for effects and pushes under way until `deadline`, in monotonic milliseconds.
  package func settle(until deadline: Int64) async {
    while tasks.count + pushTasks.count > 0, time.monotonicMilliseconds < deadline {
      await timers.sleep(milliseconds: timers.tickMilliseconds)
    }
  }

  package func finish() {
    lanes.finish()
    tasks.finish()
    pushTasks.finish()
  }
}
