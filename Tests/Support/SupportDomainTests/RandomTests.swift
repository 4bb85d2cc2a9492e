import EventSourcing
import SupportDomain
import Testing

@Suite("Support requests and users, asked anything in any order")
struct RandomTests {
  private static let seeds: [UInt64] = [1, 7, 42, 1_001, 20_261_122, 0xC0FFEE]

  @Test("a request keeps its invariants, and a restart finds what was", arguments: seeds)
  func request(seed: UInt64) throws {
    var random = RandomRequest(seed: seed)
    for step in 1...2_000 {
      try random.step()
      guard random.broken.isEmpty else { break }
      if step % 100 == 0 { try expectReplay(of: random.rig, seed) }
    }
    if random.broken.isEmpty { try random.settle() }
    #expect(random.broken == [], "seed \(seed)")
    #expect(random.counts.keys.sorted() == Array(1...11) && random.lives > 2, "seed \(seed) has seen everything")
  }

  @Test("a user keeps its invariants, and a restart finds what was", arguments: seeds)
  func user(seed: UInt64) throws {
    var random = RandomUser(seed: seed)
    for step in 1...2_000 {
      try random.step()
      guard random.broken.isEmpty else { break }
      if step % 100 == 0 { try expectReplay(of: random.rig, seed) }
    }
    #expect(random.broken == [], "seed \(seed)")
    let seen = random.counts.keys.sorted()
    #expect(seen == Array(1...9) && random.rejections > 0, "seed \(seed) has seen everything: \(seen)")
  }

  private func expectReplay<Entity>(of rig: Rig<Entity>, _ seed: UInt64) throws {
    #expect(try rig.replayed() == rig.state, "seed \(seed)")
    #expect(try rig.replayedFromRestatement() == rig.state, "seed \(seed)")
    #expect(try Entity(stateBytes: rig.state.stateBytes) == rig.state, "seed \(seed)")
  }
}
