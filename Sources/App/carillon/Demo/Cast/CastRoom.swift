import Synchronization

/// How much all sample customers together may still begin.
final class CastRoom: Sendable {
  private let left = Mutex(
    CastMind.Room(
      chats: CastLimits.chatsMaximum, callbacks: CastLimits.callbacksMaximum, requests: CastLimits.requestsMaximum))

  var now: CastMind.Room { left.withLock { $0 } }

  /// - Returns: false if there is no room any more: somebody else was faster.
  func take(_ kind: WritableKeyPath<CastMind.Room, Int>) -> Bool {
    left.withLock { left in
      guard left[keyPath: kind] > 0 else { return false }
      left[keyPath: kind] -= 1
      return true
    }
  }

  func give(_ kind: WritableKeyPath<CastMind.Room, Int>) { left.withLock { $0[keyPath: kind] += 1 } }
}
