import EventSourcing

/// What several rules decide one after another, each by what the one before has left.
struct ChatDraft {
  private(set) var chat: ChatSession
  private(set) var events: [ChatEvent] = []
  private let now: Timestamp

  init(_ chat: ChatSession, _ now: Timestamp) {
    self.chat = chat
    self.now = now
  }

  mutating func add(_ more: [ChatEvent]) {
    for event in more { chat.evolve(event, at: now) }
    events += more
  }
}
