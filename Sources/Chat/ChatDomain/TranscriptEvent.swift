public import EventSourcing

/// The type of a transcript event, as it stands first in the tuple. Spec: chat API, transcript, event tuple.
public enum TranscriptEventType: String, Sendable, Hashable, Codable, CaseIterable {
  case messageText = "Message.Text"
  case typingStarted = "Notice.TypingStarted"
  case typingStopped = "Notice.TypingStopped"
  case joined = "Notice.Joined"
  case left = "Notice.Left"
  case pushURL = "Notice.PushUrl"
  case custom = "Notice.Custom"
  /// Clients that do not know it are shown `pushURL`.
  case file = "Notice.File"

  /// The text of the types whose text never varies; nil for the others. Spec: GMS 5.1.
  public var fixedText: String? {
    switch self {
    case .typingStarted: "is typing"
    case .typingStopped: "stopped typing"
    case .joined: "has joined the session"
    case .left: "has left the session"
    case .messageText, .pushURL, .custom, .file: nil
    }
  }

  /// What clients are shown that know no files: a URL.
  public var withoutFiles: TranscriptEventType { self == .file ? .pushURL : self }
}

/// Which side a party is on, as it stands last in the tuple. Clients throw on any other value.
public enum PartyRole: String, Sendable, Hashable, Codable, CaseIterable {
  case client = "CLIENT"
  case agent = "AGENT"
  case supervisor = "SUPERVISOR"
  case external = "EXTERNAL"
}

/// One numbered event of a transcript, as the customer may see it. Flat, as the journal's tools print it.
public struct TranscriptEvent: Sendable, Equatable, Codable {
  /// 1, 2, 3, … without gaps within a chat.
  public let position: Int
  // The two small ones side by side: they take one word then, and there are many lines.
  public let type: TranscriptEventType
  public let role: PartyRole
  public let nickname: String
  /// Of a file its URL.
  public let text: String
  public let time: Timestamp
  let filed: Aside<ChatFile>?

  public init(
    position: Int, type: TranscriptEventType, nickname: String, text: String, role: PartyRole, time: Timestamp,
    file: ChatFile? = nil
  ) {
    self.init(
      position: position,
      content: TranscriptLine(type: type, nickname: nickname, text: text, role: role, time: time, file: file))
  }

  /// In the order in which they are printed.
  private enum CodingKeys: String, CodingKey {
    case position, type, nickname, text, role, time
    case filed = "file"
  }

  /// What a line of the type `file` is about; nil once it is erased.
  public var file: ChatFile? { filed?.value }
}

extension TranscriptEvent {
  init(position: Int, content: TranscriptLine) {
    self.position = position
    type = content.type
    role = content.role
    nickname = content.nickname
    text = content.text
    time = content.time
    filed = content.filed
  }

  /// What it says, wherever it stands.
  var content: TranscriptLine {
    TranscriptLine(type: type, nickname: nickname, text: text, role: role, time: time, filed: filed)
  }
}
