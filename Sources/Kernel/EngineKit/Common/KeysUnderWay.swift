import Synchronization

/// What this process does once at a time for each key: the attempt of a queue, whatever lanes it was offered to; the
/// beginning of a callback's chat.
package final class KeysUnderWay: Sendable {
  /// For each of them whether another turn came meanwhile.
  private let keys = Mutex<[String: Bool]>([:])

  package init() {}

  /// - Returns: false if it is being done for this key: this turn has to be given back.
  package func enter(_ key: String) -> Bool {
    keys.withLock { keys in
      guard keys[key] == nil else {
        keys[key] = true
        return false
      }
      keys[key] = false
      return true
    }
  }

  /// Whether it is being done for this key.
  package func contains(_ key: String) -> Bool { keys.withLock { $0[key] != nil } }

  /// - Returns: true if a turn was given back meanwhile.
  package func leave(_ key: String) -> Bool { keys.withLock { $0.removeValue(forKey: key) ?? false } }
}
