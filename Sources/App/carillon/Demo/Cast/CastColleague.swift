import CarillonClient

/// An agent who is one of the demo: serves the chats of one service, a few at a time, so that there is something to see
/// for whoever answers nobody. The chats of the other services are left to people.
struct CastColleague: Sendable {
  static let name = "carl"
  static let service = CastService.returns

  private let agent: AgentClient

  /// - Parameter token: sees that service alone.
  init(_ server: ServerAddress, token: String) { agent = AgentClient(server, token: token) }

  /// Works until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      // The server may be down for a moment.
      try? await look()
      try? await Task.sleep(for: CastLimits.colleagueTick)
    }
    agent.shutDown()
  }

  private func look() async throws {
    let own = try await agent.chats(.own)
    if own.count < CastLimits.colleagueChatsMaximum, let next = try await agent.chats(.waiting).first {
      try await agent.join(next.chatID, nickname: "Carl")
    }
    for chat in own {
      let texts = try await agent.transcript(chat.chatID).filter { $0.type == "Message.Text" && !$0.isAgentOnly }
      guard let text = Self.answer(after: texts.map(\.party)) else { continue }
      try await agent.typing(true, in: chat.chatID)
      try await Task.sleep(for: .seconds(Int.random(in: CastLimits.colleagueThinks)))
      try await agent.send(text, to: chat.chatID)
    }
  }

  /// What is said next: nothing, if the customer has not had the last word.
  /// - Parameter speakers: who has said what was said so far.
  static func answer(after speakers: [String]) -> String? {
    guard speakers.last == customer else { return nil }
    return CastWords.colleague[speakers.count { $0 != customer } % CastWords.colleague.count]
  }

  private static let customer = "CLIENT"
}
