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

  /// The text of the types whose text never varies; nil for the others. Spec: GMS 5.1.
  public var fixedText: String? {
    switch self {
    case .typingStarted: "is typing"
    case .typingStopped: "stopped typing"
    case .joined: "has joined the session"
    case .left: "has left the session"
    case .messageText, .pushURL, .custom: nil
    }
  }
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
  public let type: TranscriptEventType
  public let nickname: String
  public let text: String
  public let role: PartyRole
  public let time: Timestamp

  public init(
    position: Int, type: TranscriptEventType, nickname: String, text: String, role: PartyRole, time: Timestamp
  ) {
    self.position = position
    self.type = type
    self.nickname = nickname
    self.text = text
    self.role = role
    self.time = time
  }
}

extension TranscriptEvent {
  init(position: Int, content: TranscriptLine) {
    self.init(
      position: position, type: content.type, nickname: content.nickname, text: content.text, role: content.role,
      time: content.time)
  }

  /// What it says, wherever it stands.
  var content: TranscriptLine {
    TranscriptLine(type: type, nickname: nickname, text: text, role: role, time: time)
  }
}
