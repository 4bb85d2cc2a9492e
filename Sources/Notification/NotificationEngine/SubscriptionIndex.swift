import PushDomain
import Synchronization

/// Finds the subscriptions that a published event goes to. Rebuilt from the subscriptions after a restart.
///
/// Subscriptions with the same filter are one entry: a tag is compared with each filter once, and looked up where the
/// filter is no pattern.
final class SubscriptionIndex: Sendable {
  private struct State {
    var exact: [String: Set<String>] = [:]
    var patterns: [SubscriptionFilter: Set<String>] = [:]
    var notes: [String: SubscriptionNote] = [:]
  }

  private let state = Mutex(State())

  init() {}

  func set(_ key: String, _ note: SubscriptionNote) {
    state.withLock { state in
      guard state.notes.updateValue(note, forKey: key) == nil else { return }
      if note.filter.isExact {
        state.exact[note.filter.text, default: []].insert(key)
      } else {
        state.patterns[note.filter, default: []].insert(key)
      }
    }
  }

  func remove(_ key: String) {
    state.withLock { state in
      guard let note = state.notes.removeValue(forKey: key) else { return }
      if note.filter.isExact {
        Self.remove(key, from: note.filter.text, in: &state.exact)
      } else {
        Self.remove(key, from: note.filter, in: &state.patterns)
      }
    }
  }

  private static func remove<Filter>(_ key: String, from filter: Filter, in table: inout [Filter: Set<String>]) {
    table[filter]?.remove(key)
    if table[filter]?.isEmpty == true { table[filter] = nil }
  }

  /// - Parameter subscriberID: one subscriber's only.
  func matching(tag: String, subscriberID: String?) -> [String] {
    state.withLock { state in
      var found = Array(state.exact[tag] ?? [])
      for (filter, keys) in state.patterns where filter.matches(tag) { found += keys }
      if let subscriberID { found.removeAll { state.notes[$0]?.subscriberID != subscriberID } }
      return found.sorted()
    }
  }
}
