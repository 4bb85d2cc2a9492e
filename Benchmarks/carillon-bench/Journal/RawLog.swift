import Glibc

/// A log that many threads share and that is nothing else: who finds nobody writing writes what all have brought, and
/// syncs once for them.
final class RawLog: @unchecked Sendable {
  // Unchecked: `mutex` guards everything but the file, which is the one writer's.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let isWritten = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let file: ZeroFile
  private var waiting: [UInt8] = []
  /// The batch that is gathered, and the last one that is on the disk.
  private var gathered = 1
  private var durable = 0
  private var isWriting = false
  private var hasFailed = false

  init(in directory: WorkDirectory) throws {
    file = try ZeroFile(in: directory)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(isWritten, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(isWritten)
    mutex.deallocate()
    isWritten.deallocate()
  }

  /// Returns once the bytes are on the disk.
  func append(_ bytes: [UInt8]) throws {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    waiting += bytes
    let own = gathered
    while durable < own, !hasFailed {
      if isWriting { pthread_cond_wait(isWritten, mutex) } else { writeWaiting() }
    }
    if hasFailed { throw BenchError("the raw log cannot be written") }
  }

  /// With the mutex held, but for the time that the disk takes.
  private func writeWaiting() {
    isWriting = true
    let (batch, bytes) = (gathered, waiting)
    gathered += 1
    waiting = []
    pthread_mutex_unlock(mutex)
    let isFine = file.append(bytes[...])
    pthread_mutex_lock(mutex)
    hasFailed = hasFailed || !isFine
    durable = batch
    isWriting = false
    pthread_cond_broadcast(isWritten)
  }
}
