import Synchronization

/// The queues whose attempt is running in this process: each has one at a time, whatever lanes it was offered to.
final class KeysUnderWay: Sendable {
  /// For each of them whether another turn came meanwhile.
  private let keys = Mutex<[String: Bool]>([:])

  init() {}

  /// - Returns: false if an attempt of this queue is running: this turn has to be given back.
  func enter(_ key: String) -> Bool {
    keys.withLock { keys in
      guard keys[key] == nil else {
        keys[key] = true
        return false
      }
      keys[key] = false
      return true
    }
  }

  /// - Returns: true if a turn was given back meanwhile.
  func leave(_ key: String) -> Bool { keys.withLock { $0.removeValue(forKey: key) ?? false } }
}
