import ChatDomain
import EventSourcing

/// How lists of chats are ordered.
public enum ChatOrder: String, Sendable, CaseIterable {
  case oldest = "startedAt"
  case newest = "-startedAt"
  /// The longest wait first; without those in which nobody waits.
  case waiting = "waitingSince"

  /// What cursors of this order begin with: one of another order leads nowhere.
  fileprivate var mark: String {
    switch self {
    case .oldest: ""
    case .newest: "-"
    case .waiting: "w"
    }
  }
}

/// Where a chat stands in lists: by its start, or by when its customer began to wait. As a text it says where a list goes
/// on, also when the chat is gone.
struct ChatPlace: Comparable, Sendable {
  let time: Timestamp
  /// The chat session id.
  let chatID: String

  init(time: Timestamp, chatID: String) {
    self.time = time
    self.chatID = chatID
  }

  static func < (left: ChatPlace, right: ChatPlace) -> Bool {
    left.time == right.time ? left.chatID < right.chatID : left.time < right.time
  }

  /// `1770798605123.0002CaBE7F0K001Q`.
  func cursor(_ order: ChatOrder) -> String { "\(order.mark)\(time.milliseconds).\(chatID)" }

  /// Nil for a text that `cursor` has not made.
  init?(cursor: String, _ order: ChatOrder) {
    guard cursor.hasPrefix(order.mark) else { return nil }
    let parts = cursor.dropFirst(order.mark.count).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].allSatisfy(\.isASCIIDigit), let milliseconds = Int64(parts[0]) else { return nil }
    self.init(time: Timestamp(milliseconds: milliseconds), chatID: String(parts[1]))
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { "0" <= self && self <= "9" }
}

/// What lists ask of a chat that its entry does not say.
struct ChatStanding: Equatable {
  /// Since when its customer waits; nil if they do not.
  var waitingSince: Timestamp?
  /// Nil for one that is not live.
  var phase: CustomerPhase?
}
