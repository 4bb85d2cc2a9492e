public import ChatDomain
public import EventSourcing

/// A chat as an agent's list shows it.
public struct AgentChatSummary: Sendable, Equatable {
  /// UTF-8 bytes of the last line's text.
  public static let lineBytesMaximum = 256
  /// Beyond it unread lines are not counted.
  public static let unreadMaximum = 999

  public var chatID: String
  public var serviceID: String
  public var serviceName: String
  public var subject: String
  public var customer: String
  public var startedAt: Timestamp
  /// Nil while it is not over.
  public var endedAt: Timestamp?
  public var customerOnline: Bool
  /// Where the customer is, and since when, as far as that is known; nil for a chat that is over.
  public var phase: CustomerPhase?
  public var phaseSince: Timestamp?
  public var position: Int
  /// What was said last, cut to `lineBytesMaximum`.
  public var lastLine: AgentLine?
  /// Customer's lines that the viewer has not read, at most `unreadMaximum`.
  public var unread: Int
  public var waiting: Bool
  /// Since when the customer waits for a word; nil if they do not.
  public var waitingSince: Timestamp?
  /// Whose it is to take, as long as it waits.
  public var offer: ChatOffer?
  public var ended: Bool
  public var agents: [ChatAgent]
  /// Pushes that no queue has taken over yet.
  public var owedPushes: Int
  public var lastPush: HandedPush?
  /// What an agent has noted when they were done.
  public var wrapUp: ChatWrapUp?
  public var data: [NameValuePair]

  init(_ chat: borrowing ChatSession, serviceID: String, for viewer: AgentViewer) {
    chatID = chat.chatSessionID
    self.serviceID = serviceID
    serviceName = chat.deskService
    subject = chat.subject
    customer = chat.nickname
    startedAt = chat.startedAt
    endedAt = chat.endedAt
    customerOnline = chat.customerIsOnline
    phase = chat.customerPhase
    phaseSince = chat.customerPhaseSince
    position = chat.lastPosition
    lastLine = chat.lastLine?.cut(to: Self.lineBytesMaximum)
    unread = chat.unread(after: chat.readMark(of: viewer.id), maximum: Self.unreadMaximum)
    waiting = chat.isWaiting
    waitingSince = chat.waitingSince
    offer = chat.offer
    ended = chat.isEnded
    agents = chat.agents
    owedPushes = chat.owedPushes.count
    lastPush = chat.lastPush
    wrapUp = chat.wrapUp
    data = chat.data
  }
}

extension AgentLine {
  fileprivate func cut(to bytes: Int) -> AgentLine {
    guard content.text.utf8.count > bytes else { return self }
    return AgentLine(
      position: position,
      content: TranscriptLine(
        type: content.type, nickname: content.nickname, text: content.text.beginning(bytesMaximum: bytes),
        role: content.role, time: content.time, file: content.file))
  }
}

extension String {
  /// Its first characters, as many as fit.
  fileprivate func beginning(bytesMaximum: Int) -> String {
    var (end, room) = (startIndex, bytesMaximum)
    while end < endIndex {
      room -= self[end].utf8.count
      if room < 0 { break }
      end = index(after: end)
    }
    return String(self[..<end])
  }
}
