internal import SystemPackage

/// Fills the next segment with zeros on a thread of its own, while the current one is written.
///
/// ```
///             prepare            last zero on the disk          take
///   resting ──────────> filling ──────────────────────> ready ────────> resting
///                       │    ▲
///             disk full └────┘ tried again every second; `room` says so meanwhile
/// ```
/// In stepped mode there is no thread: `prepare` and `take` do it on the calling thread, and a full disk is tried again
/// by the next `prepare` or `take`.
///
/// Safe to share: everything mutable is touched under `lock`.
final class SegmentPreallocator: @unchecked Sendable {
  private enum State {
    case resting, filling
    case ready(any StorageFile)
    case failed(StorageError)
  }

  private let directory: JournalDirectory
  private let byteCount: Int
  private let isStepped: Bool
  private let lock = ThreadLock()
  private let changed = ThreadLock.Condition()
  private var state = State.resting
  private var isUrgent = false
  private var isStopped = false
  private var hasBegun = false
  private var thread: DedicatedThread?
  /// Full if the last try ended with a full disk.
  let room = LogRoom()

  init(directory: JournalDirectory, byteCount: Int, isStepped: Bool) {
    self.directory = directory
    self.byteCount = byteCount
    self.isStepped = isStepped
  }

  func start() throws(StorageError) {
    guard !isStepped else { return }
    thread = try DedicatedThread { [self] in run() }
  }

  /// Begins with the next segment.
  func prepare() {
    lock.lock()
    if case .resting = state { state = .filling }
    isUrgent = isStepped
    lock.unlock()
    if isStepped { fillNow() } else { changed.broadcast() }
  }

  /// The current segment fills: no more pauses.
  func hurry() {
    lock.lock()
    isUrgent = true
    lock.unlock()
    changed.broadcast()
  }

  /// Waits for the file of zeros, which still has its temporary name.
  ///
  /// - Parameter waitsForRoom: a full disk is waited for until it has room, or until `giveUpWhenFull`.
  /// - Throws: what the disk reported.
  func take(waitsForRoom: Bool) throws(StorageError) -> any StorageFile {
    if isStepped { prepare() }
    lock.lock()
    defer { lock.unlock() }
    if case .resting = state { state = .filling }
    isUrgent = true
    changed.broadcast()
    while true {
      switch state {
      case .ready(let file):
        state = .resting
        return file
      case .failed(let error):
        throw error
      case .resting, .filling:
        if isStopped || isStepped || (room.isFull && !waitsForRoom) {
          throw StorageError(.noSpace, .write, directory.preallocating)
        }
        changed.wait(lock)
      }
    }
  }

  /// Gives up waiting for room, so that a writer that closes does not wait for ever.
  func giveUpWhenFull() {
    lock.lock()
    if room.isFull { isStopped = true }
    lock.unlock()
    changed.broadcast()
  }

  /// Ends the thread and removes what it has begun.
  func stop() {
    lock.lock()
    isStopped = true
    lock.unlock()
    changed.broadcast()
    thread?.join()
    thread = nil
    if case .ready(let file) = state { file.close() }
    state = .resting
    // What an earlier process left is not ours to remove: this one may have refused to touch anything.
    if hasBegun { try? directory.storage.remove(directory.preallocating) }
  }

  private func run() {
    while waitForWork() {
      let isFull = fillOnce()
      changed.broadcast()
      guard isFull else { continue }
      lock.lock()
      // Woken early only by `stop`, `hurry` and `take`; trying once more then does no harm.
      if !isStopped { _ = changed.wait(lock, nanoseconds: Limits.fullDiskPauseNanoseconds) }
      lock.unlock()
    }
  }

  /// The calling thread does what the thread would do.
  private func fillNow() {
    lock.lock()
    let isDue = if case .filling = state { !isStopped } else { false }
    lock.unlock()
    if isDue { _ = fillOnce() }
  }

  /// - Returns: true if the disk is full.
  private func fillOnce() -> Bool {
    let result = Result { () throws(StorageError) -> (any StorageFile)? in try fill() }
    lock.lock()
    defer { lock.unlock() }
    switch result {
    case .success(let file?):
      state = .ready(file)
      room.isFull = false
    case .success(nil):
      break
    case .failure(let error) where error.isDiskFull:
      room.isFull = true
      try? directory.storage.remove(directory.preallocating)
      return true
    case .failure(let error):
      state = .failed(error)
      // Not a matter of room: whoever needs the segment is to meet the error, instead of being put off for ever.
      room.isFull = false
    }
    return false
  }

  private func waitForWork() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    while !isStopped {
      if case .filling = state { return true }
      changed.wait(lock)
    }
    return false
  }

  /// The file full of zeros; nil if stopped meanwhile.
  private func fill() throws(StorageError) -> (any StorageFile)? {
    lock.lock()
    hasBegun = true
    lock.unlock()
    let file = try directory.storage.open(directory.preallocating, .create)
    let zeros = [UInt8](repeating: 0, count: min(byteCount, Limits.zeroChunkByteCount))
    var offset = 0
    while offset < byteCount {
      do {
        let count = min(zeros.count, byteCount - offset)
        try file.writeArray(zeros, count: count, at: offset)
        // Piece by piece, so that no commit has to wait for all of it.
        try file.synchronize()
        offset += count
      } catch {
        file.close()
        throw error
      }
      guard pause() else {
        file.close()
        return nil
      }
    }
    return file
  }

  private func pause() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if !isStopped, !isUrgent, byteCount > Limits.zeroChunkByteCount {
      _ = changed.wait(lock, nanoseconds: Limits.zeroPauseNanoseconds)
    }
    return !isStopped
  }
}
