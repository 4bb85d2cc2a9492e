import ChatDomain
import Testing

/// Comet sessions tell their chat without waiting for an answer, and may have to tell it again: it knows them by their
/// clientIds, and what they have by its position.
@Suite("Chat, told twice by a session")
struct RepeatedSessionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let message: String
    let given: @Sendable () throws -> Conversation
    let action: ChatAction

    var testDescription: String { message }
  }

  private static let rows = [
    Row(
      message: "it has subscribed", given: { try Conversation.started() },
      action: .cometSubscribed(session: "c1", delivered: 0)),
    Row(
      message: "it has connected",
      given: {
        var conversation = try Conversation.started()
        try conversation.when(.cometSubscribed(session: "c1", delivered: 0), at: 0)
        return conversation
      }, action: .cometConnected(session: "c1", delivered: 0)),
    Row(
      message: "a second one has subscribed, with something to catch up with",
      given: {
        var conversation = try Conversation.online()
        try conversation.when(Conversation.say("One"), at: 2)
        return conversation
      }, action: .cometSubscribed(session: "c2", delivered: 2)),
    Row(
      message: "it is back from the background",
      given: {
        var conversation = try Conversation.waiting()
        try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 4)
        return conversation
      }, action: .cometConnected(session: "c2", delivered: 0)),
    Row(
      message: "it has unsubscribed", given: { try Conversation.online() },
      action: .cometUnsubscribed(session: "c1", delivered: 2)),
    Row(
      message: "it has disconnected with its position", given: { try Conversation.online() },
      action: Conversation.disconnect("c1", position: 2, delivered: 2)),
    Row(
      message: "it has disconnected with less than it was written",
      given: {
        var conversation = try Conversation.online()
        try conversation.when(Conversation.say("One"), at: 2)
        return conversation
      }, action: Conversation.disconnect("c1", position: 2, delivered: 3)),
    Row(
      message: "it has disconnected without a position", given: { try Conversation.online() },
      action: Conversation.disconnect("c1", position: nil, delivered: 2)),
    Row(message: "it is lost", given: { try Conversation.online() }, action: .cometLost(session: "c1", delivered: 2)),
  ]

  @Test("does nothing the second time, nor after a sleep", arguments: rows)
  func twice(row: Row) throws {
    var conversation = try row.given()
    let before = conversation.chat
    try conversation.when(row.action, at: 9)
    let once = conversation.chat
    #expect(once != before, "nothing to be known")
    #expect(try conversation.when(row.action, at: 10).effects.isEmpty)
    #expect(conversation.chat == once)
    try conversation.sleepAndWake()
    #expect(try conversation.when(row.action, at: 11).effects.isEmpty)
    #expect(try conversation.chat == once && conversation.replayed() == once)
  }
}
