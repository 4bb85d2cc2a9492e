import ChatDomain
import EventSourcing
import Testing

@Suite("Chat, asked anything in any order")
struct RandomConversationTests {
  @Test("positions, times, timers, pushes and notifications stay consistent", arguments: UInt64(1)...60)
  func invariants(seed: UInt64) throws {
    var random = RandomConversation(seed: seed)
    for _ in 0..<400 { try random.step() }
    #expect(random.broken.isEmpty, "seed \(seed): \(random.broken.prefix(3))")
    #expect(random.actionCount > 20, "seed \(seed) did nothing")
  }

  @Test("replaying the journal gives the state that lived, after every action", arguments: UInt64(1)...20)
  func replay(seed: UInt64) throws {
    var random = RandomConversation(seed: seed)
    for _ in 0..<40 {
      for _ in 0..<8 { try random.step() }
      let replayed = try random.conversation.replayed()
      #expect(replayed == random.conversation.chat, "seed \(seed)")
      #expect(replayed.outstandingEffects == random.conversation.chat.outstandingEffects, "seed \(seed)")
    }
  }

  @Test("replay from the last restatement on gives the same state", arguments: UInt64(1)...20)
  func replayFromRestatement(seed: UInt64) throws {
    var random = RandomConversation(seed: seed)
    for _ in 0..<400 {
      try random.step()
      guard random.conversation.journal.last?.event.tag == 25 || random.actionCount % 50 == 0 else { continue }
      #expect(try random.conversation.replayedFromRestatement() == random.conversation.chat, "seed \(seed)")
    }
  }

  @Test("the random conversations reach every state and every event")
  func coverage() throws {
    var tags: Set<EventTag> = []
    var states: Set<ChatClientState> = []
    for seed in UInt64(1)...60 {
      var random = RandomConversation(seed: seed)
      for _ in 0..<400 {
        try random.step()
        states.insert(random.conversation.chat.clientState)
      }
      tags.formUnion(random.conversation.journal.map(\.event.tag))
    }
    #expect(states == Set(ChatClientState.allCases))
    // The notice of the return is off by default.
    #expect(tags == Set(1...26).union(50...55).union(60...62).subtracting([19]))
  }
}
