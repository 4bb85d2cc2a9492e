/// Releases waiters in journal order: few by the committing thread, many by a thread of its own, so that the next
/// commit need not wait until they have all been woken.
///
/// Safe to share: everything mutable is touched under `lock`, which is not held while waiters are called.
final class DeliveryQueue: @unchecked Sendable {
  private struct Group {
    var waiters: [any DurabilityWaiter]
    /// Nil if they are lost.
    var position: UInt64?
  }

  private let deliver: JournalWriter.Delivery
  private let isStepped: Bool
  private let lock = ThreadLock()
  private let news = ThreadLock.Condition()
  private var groups: [Group] = []
  /// Empty, with room: arrays go round instead of being made for each commit.
  private var spares: [[any DurabilityWaiter]] = []
  private var count = 0
  private var isStopped = false
  private var thread: DedicatedThread?

  /// - Parameter isStepped: all are released by the committing thread, however many; `start` is not called.
  init(isStepped: Bool, deliver: @escaping JournalWriter.Delivery) {
    self.isStepped = isStepped
    self.deliver = deliver
  }

  func start() throws(StorageError) { thread = try DedicatedThread { [self] in run() } }

  /// Waiters that were handed over and not yet released.
  var waitingCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return count
  }

  /// Releases `waiters` after all that came before, and leaves an empty array. Called with the commit role.
  /// - Parameter position: nil for those that are lost.
  func hand(_ waiters: inout [any DurabilityWaiter], position: UInt64?) {
    lock.lock()
    if isStepped || (count == 0 && waiters.count < Limits.deliveryCountForThread) {
      lock.unlock()
      deliver(waiters, position)
      waiters.removeAll(keepingCapacity: true)
      return
    }
    count += waiters.count
    groups.append(Group(waiters: waiters, position: position))
    waiters = spares.popLast() ?? []
    lock.unlock()
    news.signal()
  }

  /// Releases what is left, then ends.
  func stop() {
    lock.lock()
    isStopped = true
    lock.unlock()
    news.signal()
    thread?.join()
    thread = nil
  }

  private func run() {
    lock.lock()
    defer { lock.unlock() }
    while true {
      while groups.isEmpty {
        if isStopped { return }
        news.wait(lock)
      }
      var work: [Group] = []
      swap(&work, &groups)
      lock.unlock()
      for group in work { deliver(group.waiters, group.position) }
      lock.lock()
      for index in work.indices {
        count -= work[index].waiters.count
        work[index].waiters.removeAll(keepingCapacity: true)
        if spares.count < 2 { spares.append(work[index].waiters) }
      }
    }
  }
}
