import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, asked anything in any order")
struct RandomCallbackTests {
  @Test("alarm, pushes, agents and stages stay consistent", arguments: UInt64(1)...60)
  func invariants(seed: UInt64) throws {
    var random = RandomCallback(seed: seed)
    for _ in 0..<500 { try random.step() }
    #expect(random.broken.isEmpty, "seed \(seed): \(random.broken.prefix(3))")
    #expect(random.turnCount > 200 && random.lives > 0, "seed \(seed) did little")
  }

  @Test("replaying the journal gives the state that lived, after every step", arguments: UInt64(1)...20)
  func replay(seed: UInt64) throws {
    var random = RandomCallback(seed: seed)
    for _ in 0..<200 {
      try random.step()
      let replayed = try random.rig.replayed()
      #expect(replayed == random.rig.callback, "seed \(seed)")
      #expect(replayed.stateBytes == random.rig.callback.stateBytes, "seed \(seed)")
      #expect(try random.rig.replayedFromRestatement() == random.rig.callback, "seed \(seed)")
    }
  }

  @Test("the random callbacks reach every status, every reason and every event")
  func coverage() throws {
    var tags: Set<EventTag> = []
    var statuses: Set<CallbackStatus> = []
    var reasons: Set<CallbackReason> = []
    for seed in UInt64(1)...60 {
      var random = RandomCallback(seed: seed)
      for _ in 0..<500 {
        try random.step()
        statuses.insert(random.rig.callback.status)
        if let reason = random.rig.callback.reason { reasons.insert(reason) }
        tags.formUnion(random.turns.flatMap(\.events).map(\.tag))
      }
    }
    #expect(tags == Set(1...17))
    #expect(statuses == Set(CallbackStatus.allCases))
    #expect(reasons == Set(CallbackReason.allCases))
  }
}
