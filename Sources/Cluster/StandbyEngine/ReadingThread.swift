import Foundation

/// A thread for the reads of one stream or file, which may have to wait for a disk. It ends with whoever has it.
final class ReadingThread: Sendable {
  private let queue = Queue()

  init(name: String) {
    let thread = Thread { [queue] in queue.run() }
    thread.stackSize = 1 << 20
    thread.name = name
    thread.start()
  }

  deinit { queue.end() }

  /// Runs `body` there, behind what was asked for before.
  func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.add { continuation.resume(returning: body()) }
    }
  }

  /// Safe to share: jobs and end are touched under `condition` alone.
  private final class Queue: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []
    private var hasEnded = false

    func add(_ job: @escaping @Sendable () -> Void) {
      condition.withLock { jobs.append(job) }
      condition.signal()
    }

    func end() {
      condition.withLock { hasEnded = true }
      condition.signal()
    }

    func run() {
      while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
      condition.withLock {
        while jobs.isEmpty, !hasEnded { condition.wait() }
        return jobs.isEmpty ? nil : jobs.removeFirst()
      }
    }
  }
}
