import EngineKit
import Synchronization

/// Searches that were begun, for whoever asks for the next page. Each is in one reader's hands at a time.
final class TimelineSearches: Sendable {
  struct Key: Hashable, Sendable {
    let question: TimelineQuestion
    let filter: TimelineFilter
  }

  private struct Kept {
    let search: TimelineSearch
    let usedAt: Int64
  }

  private struct State {
    var kept: [Key: Kept] = [:]
    /// Counts erasures: what was begun before one is not kept.
    var age = 0
  }

  private let limits: EngineLimits
  private let state = Mutex(State())

  init(_ limits: EngineLimits) { self.limits = limits }

  /// How many erasures there were.
  var age: Int { state.withLock { $0.age } }

  /// Takes a search out; nil if there is none, or another reader has it.
  func take(_ key: Key) -> (search: TimelineSearch?, age: Int) {
    state.withLock { ($0.kept.removeValue(forKey: key)?.search, $0.age) }
  }

  /// Keeps it for the next page; the one that was used the longest time ago makes room.
  /// - Parameters:
  ///   - age: when it was taken.
  ///   - now: monotonic milliseconds.
  func keep(_ search: TimelineSearch, _ key: Key, age: Int, now: Int64) {
    state.withLock { state in
      guard state.age == age else { return }
      state.kept[key] = Kept(search: search, usedAt: now)
      state.kept = state.kept.filter { now - $0.value.usedAt < limits.timelineSearchMilliseconds }
      while state.kept.count > limits.timelineSearchesKept,
        let oldest = state.kept.min(by: { $0.value.usedAt < $1.value.usedAt })
      {
        state.kept[oldest.key] = nil
      }
    }
  }

  /// What was erased must not be told from memory.
  func forget() {
    state.withLock { state in
      state.kept = [:]
      state.age += 1
    }
  }
}
