public import EngineKit
public import EventSourcing
import TextSearch

/// Something of a chat that has what was looked for.
public struct SearchHit: Sendable, Equatable {
  /// What of the chat it is.
  public enum Match: String, Sendable, CaseIterable { case text, subject, name }

  public let chatID: String
  public let customer: String
  public let subject: String
  public let match: Match
  /// Of the event; nil for a line that only agents see, and for what is no line.
  public let position: Int?
  /// Only agents see it.
  public let isPrivate: Bool
  /// When it was said; of subject and name when the chat began.
  public let time: Timestamp
  /// A piece of it, around what was looked for.
  public let text: String
}

/// Some of what was found, the newest first.
public struct SearchPage: Sendable, Equatable {
  /// Why there may be more than is found.
  public enum Gap: String, Sendable, CaseIterable {
    /// The server has started a moment ago, and is still reading old chats.
    case building
    /// The index has no room for the oldest.
    case full
  }

  public let hits: [SearchHit]
  /// What to ask for to go on; nil if there is nothing more.
  public let next: String?
  public let gap: Gap?
}

/// Why nobody searches here.
public enum SearchRefusal: Refusal {
  case isOff
}

/// Where a search goes on: behind one of the texts. Means the same after a restart.
struct SearchCursor: Equatable {
  var seconds: UInt32
  var number: UInt32
  /// The chat session id.
  var chatID: String

  /// `1770798605.7.0002CaBE7F0K001Q`.
  var text: String { "\(seconds).\(number).\(chatID)" }

  init(seconds: UInt32, number: UInt32, chatID: String) {
    self.seconds = seconds
    self.number = number
    self.chatID = chatID
  }

  /// Nil for a text that `text` has not made.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let seconds = UInt32(parts[0]), let number = UInt32(parts[1]) else { return nil }
    self.init(seconds: seconds, number: number, chatID: String(parts[2]))
    guard self.text == text else { return nil }
  }
}
