import TestSupport
import Testing

@testable import carillon_torture

@Suite("Rounds that torment a standby")
struct StandbyRoundTests {
  private func deck(_ number: Int, isLong: Bool = false, seed: UInt64) -> [StandbyRound] {
    var generator = SeededGenerator(seed: seed)
    return StandbyRound.deck(number, isLong: isLong, using: &generator)
  }

  @Test("two decks that follow each other have every kind of blow, and the line is broken in two of five at least")
  func kinds() {
    for seed in UInt64(1)...200 {
      let rounds = deck(0, seed: seed) + deck(1, seed: seed)
      #expect(rounds.count == 2 * StandbyRound.deckCount)
      #expect(Set(rounds.map(\.blow)) == Set(StandbyRound.Blow.allCases))
      #expect(rounds.count { $0.blow.endsWithTakeover } == 6)
      #expect(rounds.count { $0.fault != .whole } >= 4)
      // Nothing done to anybody is no round.
      #expect(!rounds.contains { $0.blow == .line && $0.fault == .whole })
    }
  }

  @Test("a seed is its rounds, and another one others")
  func seeded() {
    #expect(deck(0, seed: 7) == deck(0, seed: 7))
    #expect(deck(0, seed: 7) != deck(0, seed: 8))
  }

  @Test("only the long form freezes the line for longer than a standby bears silence")
  func durations() {
    let short = (UInt64(1)...200).flatMap { deck(0, seed: $0) }
    let long = (UInt64(1)...200).flatMap { deck(0, isLong: true, seed: $0) }
    #expect(short.allSatisfy { $0.faultMilliseconds <= 1_500 })
    #expect(long.filter { $0.faultMilliseconds > 15_000 }.count > 0)
    #expect(long.allSatisfy { $0.fault == .frozen || $0.faultMilliseconds <= 1_500 })
  }
}
