import ChatDomain
import EventSourcing
import Testing

/// Spec: GMS 13, with the delay of five seconds and the times of the trace (12:00:00 is second 100).
@Suite("Chat, one background phase from the specification")
struct TraceTests {
  @Test("13: leave at position 4, two messages in one push, one alone, catch-up of four events")
  func trace() throws {
    var conversation = try Conversation.online()
    try conversation.when(.customerSend(text: "Where is my order?"), at: 40)
    try conversation.when(Conversation.say("Let me see"), at: 60)
    #expect(conversation.chat.lastPosition == 4)

    let leave = try conversation.when(Conversation.disconnect("c1", position: 4, delivered: 4), at: 100)
    #expect(
      leave.effects == [.notifyAgents(.customerOnline(false)), Conversation.notice("customer is not online", at: 100)])

    let typing = try conversation.when(.agentTyping(agentID: "k", started: true), at: 103)
    let typingLine = Conversation.event(5, .typingStarted, "Agent K", "is typing", .agent, at: 103)
    #expect(typing.effects == [Conversation.toAgents(typingLine)])

    let first = try conversation.when(Conversation.say("One moment"), at: 106)
    let firstLine = Conversation.text(6, "One moment", at: 106)
    #expect(
      first.effects == [
        Conversation.toAgents(firstLine), .startTimer(.pushDelay(phase: 1), at: Conversation.time(111)),
      ])

    let second = try conversation.when(Conversation.say("Found it"), at: 109)
    let secondLine = Conversation.text(7, "Found it", at: 109)
    #expect(second.effects == [Conversation.toAgents(secondLine)])

    let fired = try conversation.when(.pushDelayElapsed(phase: 1), at: 111)
    #expect(
      fired.effects == [
        Conversation.push(
          1, ordinal: 1, [PushedLine(.messageText, "One moment"), PushedLine(.messageText, "Found it")], position: 7)
      ])

    let third = try conversation.when(Conversation.say("Order 81 left"), at: 120)
    let thirdLine = Conversation.text(8, "Order 81 left", at: 120)
    #expect(
      third.effects == [
        Conversation.toAgents(thirdLine),
        Conversation.push(2, ordinal: 2, [PushedLine(.messageText, "Order 81 left")], position: 8),
      ])

    #expect(try conversation.when(.cometSubscribed(session: "c2", delivered: 0), at: 130).effects.isEmpty)
    let back = try conversation.when(.cometConnected(session: "c2", delivered: 0), at: 130)
    #expect(
      back.effects == [
        .notifyAgents(.customerOnline(true)),
        .publish(
          sessions: ["c2"], events: [typingLine, firstLine, secondLine, thirdLine], ended: false, isCatchUp: true),
      ])
    #expect(conversation.chat.clientState == .online)
    #expect(try conversation.replayed() == conversation.chat)
  }
}
