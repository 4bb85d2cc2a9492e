/// Texts that were sorted for good: where each stands, and which words it has.
final class TextSegment: Sendable {
  let places: PlaceTable
  let terms: TermTable
  /// What it takes in memory.
  let storageBytes: Int

  init(_ places: PlaceTable, _ terms: TermTable) {
    self.places = places
    self.terms = terms
    storageBytes =
      places.storageBytes + terms.storageBytes + MemoryLayout<PlaceTable>.size
      + MemoryLayout<TermTable>.size + 32
  }

  var count: Int { places.count }

  /// The texts that have all words.
  func texts(with query: TextQuery) -> TextSet? {
    var found: TextSet?
    for word in query.words {
      guard let texts = texts(with: word) else { return nil }
      if found?.formIntersection(texts) == nil { found = texts }
    }
    return found
  }

  /// Nil if it has no such word.
  private func texts(with word: TextQuery.Word) -> TextSet? {
    guard var cursor = terms.cursor(at: word.bytes), word.matches(cursor.word) else { return nil }
    var set = TextSet(count: count)
    repeat {
      cursor.forEachText { set.insert($0) }
    } while word.isBeginning && cursor.advance() && word.matches(cursor.word)
    return set
  }
}

/// Some of a segment's texts: a bit for each.
struct TextSet {
  private var bits: [UInt64]

  init(count: Int) { bits = Array(repeating: 0, count: (count + 63) / 64) }

  mutating func insert(_ number: UInt32) { bits[Int(number >> 6)] |= 1 << UInt64(number & 63) }

  mutating func formIntersection(_ other: TextSet) {
    for place in bits.indices { bits[place] &= other.bits[place] }
  }

  /// The first one that is not less than `number`; nil if there is none.
  func first(from number: Int) -> Int? {
    var place = number >> 6
    guard place < bits.count else { return nil }
    var rest = bits[place] & (~0 << UInt64(number & 63))
    while rest == 0 {
      place += 1
      guard place < bits.count else { return nil }
      rest = bits[place]
    }
    return place << 6 + rest.trailingZeroBitCount
  }
}
