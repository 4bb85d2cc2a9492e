public import EventSourcing

/// Who says what when, wherever it stands.
public struct TranscriptLine: Sendable, Equatable, Codable {
  public let nickname: String
  /// Of a file its URL.
  public let text: String
  public let type: TranscriptEventType
  public let role: PartyRole
  public let time: Timestamp
  let filed: Aside<ChatFile>?

  public init(
    type: TranscriptEventType, nickname: String, text: String, role: PartyRole, time: Timestamp, file: ChatFile? = nil
  ) {
    self.init(type: type, nickname: nickname, text: text, role: role, time: time, filed: file.map { .value($0) })
  }

  init(
    type: TranscriptEventType, nickname: String, text: String, role: PartyRole, time: Timestamp, filed: Aside<ChatFile>?
  ) {
    self.type = type
    self.nickname = nickname
    self.text = text
    self.role = role
    self.time = time
    self.filed = filed
  }

  /// In the order in which they are printed.
  private enum CodingKeys: String, CodingKey {
    case type, nickname, text, role, time
    case filed = "file"
  }

  /// What a line of the type `file` is about; nil once it is erased.
  public var file: ChatFile? { filed?.value }
}
