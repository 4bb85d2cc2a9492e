import EventSourcing
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

/// What the index must know of a subscription while it sleeps: filter 1, subscriber 2.
struct SubscriptionNote: Sendable {
  let filter: SubscriptionFilter
  let subscriberID: String

  init(_ terms: SubscriptionTerms) {
    filter = terms.filter
    subscriberID = terms.subscriberID
  }

  /// Empty for a subscription that is over.
  static func bytes(of subscription: borrowing Subscription) -> [UInt8] {
    guard let terms = subscription.terms else { return [] }
    var writer = PayloadWriter()
    writer.text(1, terms.filter.text)
    writer.text(2, terms.subscriberID)
    return writer.bytes
  }

  /// Nil for what `bytes` has not written.
  init(bytes: [UInt8]) throws(PayloadError) {
    let texts = try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) -> [Int: String] in
      var reader = PayloadReader(UnsafeRawBufferPointer(buffer))
      var texts: [Int: String] = [:]
      while let field = try reader.next() { texts[field] = try reader.text() }
      return texts
    }
    guard let text = texts[1], let filter = try? SubscriptionFilter(text) else { throw .missingField(1) }
    guard let subscriberID = texts[2] else { throw .missingField(2) }
    self.filter = filter
    self.subscriberID = subscriberID
  }
}
