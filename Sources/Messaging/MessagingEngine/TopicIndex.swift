import PushDomain
import Synchronization

/// Who has subscribed to what: for each topic its registrations in order. Rebuilt from the devices after a restart.
///
/// It may name registrations that have ended: whoever serves them looks at the device anyway, and takes them out.
final class TopicIndex: Sendable {
  /// Under this name a sender's every registration is found: a condition may say who has *not* subscribed.
  static let everyone = ""

  private struct Members {
    var sorted: [MailScope] = []
    /// Came since the last look, in any order.
    var fresh: [MailScope] = []
  }

  private let members = Mutex<[SenderTopic: Members]>([:])

  init() {}

  func add(_ scope: MailScope, to topic: SenderTopic) {
    members.withLock { $0[topic, default: Members()].fresh.append(scope) }
  }

  func remove(_ scope: MailScope, from topic: SenderTopic) {
    members.withLock { members in
      guard var found = members.removeValue(forKey: topic) else { return }
      Self.sort(&found)
      if let place = Self.place(of: scope, in: found.sorted) { found.sorted.remove(at: place) }
      if !found.sorted.isEmpty { members[topic] = found }
    }
  }

  /// In order, each once.
  func members(of topic: SenderTopic) -> [MailScope] {
    members.withLock { members in
      guard var found = members.removeValue(forKey: topic) else { return [] }
      Self.sort(&found)
      members[topic] = found
      return found.sorted
    }
  }

  func contains(_ scope: MailScope, in topic: SenderTopic) -> Bool {
    Self.place(of: scope, in: members(of: topic)) != nil
  }

  private static func sort(_ members: inout Members) {
    guard !members.fresh.isEmpty else { return }
    members.fresh.sort()
    var merged: [MailScope] = []
    merged.reserveCapacity(members.sorted.count + members.fresh.count)
    var old = 0
    for scope in members.fresh {
      while old < members.sorted.count, members.sorted[old] <= scope {
        merged.append(members.sorted[old])
        old += 1
      }
      if scope != merged.last { merged.append(scope) }
    }
    merged.append(contentsOf: members.sorted[old...])
    members = Members(sorted: merged)
  }

  private static func place(of scope: MailScope, in sorted: [MailScope]) -> Int? {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < scope { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == scope ? low : nil
  }
}

extension AppRegistration {
  /// What the index finds it by.
  var indexedTopics: [SenderTopic] {
    // A page's own sender may send to it as well as those that it was made for.
    let own = [keys?.authorizedEntity].compactMap(\.self).filter { !senders.contains($0) }
    return (senders + own).map { SenderTopic(sender: $0, name: TopicIndex.everyone) } + topics.map(\.topic)
  }
}
