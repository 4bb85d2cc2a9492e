import TestSupport
import Testing

@testable import TextSearch

@Suite("An index of texts")
struct IndexTests {
  private static func place(_ number: Int, of owner: Int = 0, at seconds: Int) -> TextPlace {
    TextPlace(seconds: UInt32(seconds), owner: UInt32(owner), number: UInt32(number))
  }

  private static func small(bytes: Int = 1 << 30) -> TextSearchLimits {
    var limits = TextSearchLimits(bytesMaximum: bytes)
    limits.headTextsMaximum = 8
    limits.segmentsMerged = 3
    limits.segmentTextsMaximum = 100
    limits.goneShare = 4
    return limits
  }

  /// All words that are somewhere in memory.
  private static func vocabulary(_ index: TextIndex) -> Set<String> {
    var words: Set<String> = []
    for kept in index.segments {
      var cursor = kept.segment.terms.start
      while cursor.advance() { words.insert(String(decoding: cursor.word, as: UTF8.self)) }
    }
    return words.union(index.head.vocabulary.map { String(decoding: $0, as: UTF8.self) })
  }

  @Test("texts come newest first, page by page, whatever segment they are in")
  func order() throws {
    var index = TextIndex(limits: Self.small())
    var places: [TextPlace] = []
    for number in 0..<50 {
      // Times that neither rise nor fall.
      let place = Self.place(number / 5, of: number % 5, at: 1_000 + number * 37 % 50)
      places.append(place)
      index.add(TextWords(of: "order \(number)"), at: place)
      index.tidy()
    }
    let expected = places.sorted(by: >)
    let query = try TextQuery("ord")
    #expect(index.find(query, limit: 100) == expected)
    #expect(index.find(query, limit: 0).isEmpty)
    var pages: [TextPlace] = []
    while true {
      let page = index.find(query, before: pages.last, limit: 7)
      pages += page
      if page.count < 7 { break }
    }
    #expect(pages == expected)
    #expect(index.find(query, limit: 3, where: { $0 == 2 }) == Array(expected.filter { $0.owner == 2 }.prefix(3)))
    #expect(index.find(try TextQuery("order 7"), limit: 9) == [places[7]])
  }

  @Test("an owner who is removed is not found, and once tidied not in memory; the number is free then, and no sooner")
  func removal() throws {
    var index = TextIndex(limits: Self.small())
    for number in 0..<60 {
      let owner = number % 10
      index.add(
        TextWords(of: owner == 3 ? "secret\(number) order" : "order"),
        at: Self.place(number / 10, of: owner, at: 1_000 + number))
      index.tidy()
    }
    let query = try TextQuery("secret")
    #expect(index.find(query, limit: 9).count == 6 && Self.vocabulary(index).contains { $0.hasPrefix("secret") })
    index.remove([3, 77])
    let others = index.find(try TextQuery("order"), limit: 99)
    #expect(index.find(query, limit: 9).isEmpty && others.count == 54)
    // Of one that has nothing there is nothing to take away.
    let free = index.takeFreed()
    #expect(free == [77])
    index.tidy(of: [3])
    let freed = index.takeFreed()
    #expect(freed == [3] && Self.vocabulary(index) == ["order"] && index.count == 54 && index.gone.isEmpty)
  }

  @Test("tidying that was overtaken is refused, and what went meanwhile stays gone")
  func overtaken() throws {
    var index = TextIndex(limits: Self.small())
    for number in 0..<24 {
      index.add(TextWords(of: number % 4 == 1 ? "secret" : "order"), at: Self.place(number, of: number % 4, at: number))
    }
    let merging = try #require(index.dueTidying())
    index.remove([1])
    let result = merging.perform()
    // The one that takes the words away is faster.
    var other = index
    other.tidy(of: [1])
    let before = other.count
    let isAdopted = other.adopt(result)
    #expect(!isAdopted && other.count == before && !Self.vocabulary(other).contains("secret"))
    // Or slower: what the merging has kept is gone all the same, and is taken away next.
    let isAdoptedLate = index.adopt(result)
    let found = index.find(try TextQuery("secret"), limit: 9)
    #expect(isAdoptedLate && found.isEmpty)
    index.tidy(of: [1])
    let freed = index.takeFreed()
    #expect(!Self.vocabulary(index).contains("secret") && freed == [1])
    #expect(index.find(try TextQuery("order"), limit: 99) == other.find(try TextQuery("order"), limit: 99))
  }

  @Test("without room the oldest texts go, and the index says so")
  func full() throws {
    var index = TextIndex(limits: Self.small(bytes: 20_000))
    for number in 0..<2_000 {
      index.add(TextWords(of: "word\(number) order"), at: Self.place(number, at: number))
      index.tidy()
    }
    #expect(index.hasLostTexts && index.bytes < 30_000 && index.count < 2_000)
    let found = index.find(try TextQuery("order"), limit: 3_000).map(\.seconds)
    #expect(found == Array(UInt32(2_000 - found.count)..<2_000).reversed() && found.count > 100)
  }

  @Test("a copy finds what was there when it was made")
  func copies() throws {
    var index = TextIndex(limits: Self.small())
    for number in 0..<20 { index.add(TextWords(of: "order"), at: Self.place(number, of: number, at: number)) }
    let copy = index
    index.remove(Set(0..<20))
    index.tidy(of: Set(0..<20))
    #expect(copy.find(try TextQuery("order"), limit: 99).count == 20)
    let left = index.find(try TextQuery("order"), limit: 99)
    #expect(left.isEmpty && index.count == 0)
  }

  @Test("of texts as people write them the index takes at most 40 % of their bytes")
  func size() throws {
    var random = SeededGenerator(seed: 7)
    let texts = SampleTexts(&random)
    var index = TextIndex(limits: TextSearchLimits(bytesMaximum: 1 << 30))
    var owners = TextOwners()
    var bytes = 0
    for number in 0..<24_576 {
      let text = texts.line(&random)
      bytes += text.utf8.count
      let owner = owners.note("0007-chat-\(number / 12)", through: UInt32(number % 12))
      index.add(TextWords(of: text), at: Self.place(number % 12, of: Int(owner), at: 1_770_000_000 + number * 3))
      index.tidy()
    }
    let share = Double(index.bytes + owners.bytes) / Double(bytes)
    #expect(share < 0.4, "\(share) of \(bytes) bytes")
    #expect(index.count == 24_576)
  }
}

extension TextIndex {
  /// Does all that is due: at large, or to free these owners' words. Nobody else does meanwhile.
  mutating func tidy(of owners: Set<UInt32>? = nil) {
    while let due = owners.map({ dueTidying(of: $0) }) ?? dueTidying() {
      let isAdopted = adopt(due.perform())
      #expect(isAdopted)
    }
  }
}
