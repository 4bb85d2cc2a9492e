import ChatDomain
import EngineKit
import EventSourcing
import TextSearch

/// What of a chat is found by its words: the customer's name, the subject, and what was said. What was erased is not, and
/// neither is what the house itself says to agents.
///
/// The texts have numbers: 0 the name, 1 the subject, then the lines in their order, those among them that only agents see.
struct SearchedTexts: Sendable {
  struct Text: Sendable {
    let number: UInt32
    let seconds: UInt32
    let text: String
  }

  private(set) var texts: [Text] = []
  /// How many lines were looked at: all that there are, or as many as are taken at once.
  private(set) var through: UInt32 = 0
  private(set) var hasMore = false

  static let nameNumber: UInt32 = 0
  static let subjectNumber: UInt32 = 1
  private static let firstLineNumber: UInt32 = 2

  /// - Parameter lines: so many were looked at before; nil if nothing was.
  init(_ chat: borrowing ChatSession, after lines: UInt32?, maximum: Int) {
    guard chat.isStarted else { return }
    if lines == nil {
      let seconds = UInt32(clamping: chat.startedAt.wholeSeconds)
      add(chat.nickname, Self.nameNumber, seconds)
      add(chat.subject, Self.subjectNumber, seconds)
    }
    through = lines ?? 0
    for line in chat.agentLines(after: Int(through), maximum: maximum) {
      if line.isSearched {
        add(line.searchedText, Self.firstLineNumber + through, UInt32(clamping: line.content.time.wholeSeconds))
      }
      through += 1
    }
    hasMore = Int(through) < chat.lineCount
  }

  private mutating func add(_ text: String, _ number: UInt32, _ seconds: UInt32) {
    guard !text.isEmpty, text != ErasurePlaceholder.text else { return }
    texts.append(Text(number: number, seconds: seconds, text: text))
  }

  var byteCount: Int { texts.reduce(0) { $0 + $1.text.utf8.count } }

  /// The line with a number; nil if it is none, or is not there.
  static func line(_ number: UInt32, of chat: borrowing ChatSession) -> AgentLine? {
    guard number >= firstLineNumber else { return nil }
    return chat.agentLines(after: Int(number - firstLineNumber), maximum: 1).first
  }
}

extension SearchHit {
  /// Nil if the text with this number has not, or not any more, what was looked for.
  init?(_ chat: borrowing ChatSession, _ number: UInt32, _ query: TextQuery, clipBytes: Int) {
    let line = SearchedTexts.line(number, of: chat)
    let found: (match: Match, text: String)
    switch number {
    case SearchedTexts.nameNumber: found = (.name, chat.nickname)
    case SearchedTexts.subjectNumber: found = (.subject, chat.subject)
    default:
      guard let line else { return nil }
      found = (.text, line.searchedText)
    }
    guard found.text != ErasurePlaceholder.text, query.matches(found.text) else { return nil }
    self.init(
      chatID: chat.chatSessionID, customer: chat.nickname, subject: chat.subject, match: found.match,
      position: line?.position, isPrivate: line.map { $0.position == nil } ?? false,
      time: line?.content.time ?? chat.startedAt, text: query.clip(of: found.text, bytesMaximum: clipBytes))
  }
}

extension AgentLine {
  /// Somebody has said it: of what only agents see, no notices.
  fileprivate var isSearched: Bool { position == nil ? content.type == .messageText : content.type.saysSomething }

  /// A file is found by its name.
  fileprivate var searchedText: String { content.file?.name ?? content.text }
}
