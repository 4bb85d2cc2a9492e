import EventSourcing
import Testing

@testable import AuditEngine
@testable import Engine

@Suite("Timelines that are remembered")
struct TimelineSearchesTests {
  private static func key(_ subject: String) -> TimelineSearches.Key {
    TimelineSearches.Key(question: .subject(subject), filter: TimelineFilter())
  }

  private static func search(_ number: UInt64) -> TimelineSearch {
    TimelineSearch(.subject("a"), TimelineFilter(), in: .carillon, number: number)
  }

  @Test("each is in one reader's hands, the least used makes room, and an old one goes")
  func kept() {
    var limits = EngineLimits()
    limits.timelineSearchesKept = 2
    let searches = TimelineSearches(limits)
    for (number, name) in ["a", "b", "c"].enumerated() {
      searches.keep(Self.search(UInt64(number)), Self.key(name), age: 0, now: Int64(number))
    }
    #expect(searches.take(Self.key("a")).search == nil)
    #expect(searches.take(Self.key("b")).search?.number == 1)
    #expect(searches.take(Self.key("b")).search == nil)
    searches.keep(Self.search(9), Self.key("d"), age: 0, now: limits.timelineSearchMilliseconds + 10)
    #expect(searches.take(Self.key("c")).search == nil)
  }

  @Test("an erasure forgets all, and what was begun before it is not kept")
  func erased() {
    let searches = TimelineSearches(EngineLimits())
    searches.keep(Self.search(1), Self.key("a"), age: 0, now: 0)
    let (taken, age) = searches.take(Self.key("b"))
    #expect(taken == nil && age == 0)
    searches.forget()
    #expect(searches.take(Self.key("a")).search == nil)
    searches.keep(Self.search(2), Self.key("b"), age: age, now: 0)
    #expect(searches.take(Self.key("b")).search == nil)
  }

  @Test("so many collect at a time, until they have, or nobody goes on with them")
  func collecting() {
    let limits = EngineLimits()
    let searches = TimelineSearches(limits)
    let numbers = (0...limits.timelineCollectingMaximum).map { _ in searches.number() }
    #expect(Set(numbers).count == numbers.count)
    for number in numbers.dropLast() { #expect(searches.collects(number, now: 0)) }
    #expect(!searches.collects(numbers[numbers.count - 1], now: 1))
    #expect(searches.collects(numbers[0], now: 2))
    searches.hasCollected(numbers[1])
    #expect(searches.collects(numbers[numbers.count - 1], now: 3))
    #expect(!searches.collects(99, now: 4))
    #expect(searches.collects(99, now: limits.timelineCollectingMilliseconds + 5))
  }
}
