import EventSourcing
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

/// What the index must know of a device while it sleeps: its registrations' numbers and topics, or that they are too many
/// for a note. Registration 1…: number 1, topic 2… (sender 1, name 2; absent: everyone's). Too many 2 (absent: no).
struct InstallationNote {
  /// Bytes; a snapshot's entry has no room for much more.
  static let lengthMaximum = 12_288

  private(set) var topics: [(number: Int, topic: SenderTopic)] = []
  private(set) var isCut = false

  init(_ installation: borrowing Installation) {
    for registration in installation.registrations {
      for topic in registration.indexedTopics { topics.append((registration.number, topic)) }
    }
  }

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    for (number, topic) in topics {
      writer.nested(1) { inner in
        inner.integer(1, number)
        inner.text(2, topic.sender)
        inner.text(3, ifNotEmpty: topic.name)
      }
    }
    guard writer.bytes.count > Self.lengthMaximum else { return writer.bytes }
    var cut = PayloadWriter()
    cut.bool(2, true)
    return cut.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1:
          var inner = try payload.nested()
          topics.append(try Self.topic(&inner))
        case 2: isCut = try payload.bool()
        default: try payload.skip()
        }
      }
    }
  }

  private static func topic(_ payload: inout PayloadReader) throws(PayloadError) -> (Int, SenderTopic) {
    var number: Int?, sender: String?
    var name = TopicIndex.everyone
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.integer()
      case 2: sender = try payload.text()
      case 3: name = try payload.text()
      default: try payload.skip()
      }
    }
    guard let number else { throw .missingField(1) }
    guard let sender else { throw .missingField(2) }
    return (number, SenderTopic(sender: sender, name: name))
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
