public import EventSourcing
import PushDomain
import Synchronization

/// Which dead letters: those that fit all that is not nil.
public struct DeadLetterFilter: Sendable, Equatable {
  public var device: String?
  public var producer: String?
  public var type: String?
  public var tag: String?
  public var service: String?
  public var outcome: String?
  /// Those that ended from this moment on, and before that.
  public var from: Timestamp?
  public var until: Timestamp?

  public init() {}

  func fits(_ letter: DeadLetter) -> Bool {
    func isSame(_ wanted: String?, _ found: String) -> Bool { wanted.map { $0 == found } ?? true }
    return isSame(producer, letter.message.producer) && isSame(type, letter.message.target.type)
      && isSame(tag, letter.message.tag) && isSame(service, letter.message.service)
      && isSame(outcome, letter.outcome.name) && (from.map { letter.endedAt >= $0 } ?? true)
      && (until.map { letter.endedAt < $0 } ?? true)
  }
}

/// How far a replay of many dead letters has come.
public struct DeadLetterReplay: Sendable, Equatable {
  public let startedAt: Timestamp
  public let perSecond: Int
  /// Letters that are to go out again.
  public let count: Int
  /// Those that have gone, and those that were gone meanwhile or whose device takes nothing any more.
  public internal(set) var retried = 0
  public internal(set) var skipped = 0
  public internal(set) var isRunning = true
}

/// The one replay of many that may be on.
final class DeadLetterReplays: Sendable {
  private let state = Mutex<DeadLetterReplay?>(nil)

  var current: DeadLetterReplay? { state.withLock { $0 } }

  /// - Returns: false if one is on.
  func begin(_ replay: DeadLetterReplay) -> Bool {
    state.withLock { current in
      guard current?.isRunning != true else { return false }
      current = replay
      return true
    }
  }

  /// - Returns: false if it is to go no further.
  func note(retried: Int, skipped: Int) -> Bool {
    state.withLock { current in
      current?.retried += retried
      current?.skipped += skipped
      return current?.isRunning ?? false
    }
  }

  func end() { state.withLock { $0?.isRunning = false } }
}
