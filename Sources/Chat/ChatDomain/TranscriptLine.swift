public import EventSourcing

/// Who says what when, wherever it stands.
public struct TranscriptLine: Sendable, Equatable, Codable {
  public let type: TranscriptEventType
  public let nickname: String
  public let text: String
  public let role: PartyRole
  public let time: Timestamp

  public init(type: TranscriptEventType, nickname: String, text: String, role: PartyRole, time: Timestamp) {
    self.type = type
    self.nickname = nickname
    self.text = text
    self.role = role
    self.time = time
  }
}
