import Glibc

/// Holds threads back until a test opens it. Safe to share: the mutex guards all of it.
final class Gate: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isOpen = false
  private var waitingCount = 0

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  /// Waits until the gate is open.
  func pass() {
    pthread_mutex_lock(mutex)
    waitingCount += 1
    pthread_cond_broadcast(condition)
    while !isOpen { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Waits until somebody stands before the gate, or has passed.
  func awaitArrival() {
    pthread_mutex_lock(mutex)
    while waitingCount == 0 { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  func open() {
    pthread_mutex_lock(mutex)
    isOpen = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }
}
