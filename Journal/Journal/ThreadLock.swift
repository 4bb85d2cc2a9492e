internal import Glibc

/// A mutex that threads can wait at; `Synchronization.Mutex` has no condition.
///
/// Safe to share: the C library's objects are made for it, and they stay at one address until nobody refers to them.
final class ThreadLock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func lock() { pthread_mutex_lock(mutex) }

  @inline(__always)
  func unlock() { pthread_mutex_unlock(mutex) }

  /// Where threads wait for one kind of news.
  final class Condition: @unchecked Sendable {
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
      condition.initialize(to: pthread_cond_t())
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      // A clock that is set must not lengthen or cut a wait.
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    deinit {
      pthread_cond_destroy(condition)
      condition.deallocate()
    }

    func signal() { pthread_cond_signal(condition) }
    func broadcast() { pthread_cond_broadcast(condition) }

    /// The lock is held by the caller, let go while waiting, and held again.
    func wait(_ lock: ThreadLock) { pthread_cond_wait(condition, lock.mutex) }

    /// - Returns: false if the time ran out.
    func wait(_ lock: ThreadLock, nanoseconds: UInt64) -> Bool {
      var deadline = timespec()
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      let sum = UInt64(deadline.tv_nsec) + nanoseconds % 1_000_000_000
      deadline.tv_sec += Int(nanoseconds / 1_000_000_000 + sum / 1_000_000_000)
      deadline.tv_nsec = Int(sum % 1_000_000_000)
      return pthread_cond_timedwait(condition, lock.mutex, &deadline) == 0
    }
  }
}
