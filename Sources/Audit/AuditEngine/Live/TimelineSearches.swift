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
    /// When those that are collecting were gone on with last, by number.
    var collecting: [UInt64: Int64] = [:]
    var lastNumber: UInt64 = 0
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

  /// A number for somebody's search, by which its place among those that are collecting is known.
  func number() -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Takes a place among those that are collecting, or keeps it. - Returns: false if there is none.
  /// - Parameter now: monotonic milliseconds.
  func collects(_ number: UInt64, now: Int64) -> Bool {
    state.withLock { state in
      state.collecting = state.collecting.filter { now - $0.value < limits.timelineCollectingMilliseconds }
      guard state.collecting[number] != nil || state.collecting.count < limits.timelineCollectingMaximum else {
        return false
      }
      state.collecting[number] = now
      return true
    }
  }

  /// Gives its place back.
  func hasCollected(_ number: UInt64) { state.withLock { $0.collecting[number] = nil } }

  /// What was erased must not be told from memory.
  func forget() {
    state.withLock { state in
      state.kept = [:]
      state.age += 1
    }
  }
}
