/// The last texts, as they came: their words are looked through one by one.
struct TextHead: Sendable {
  private struct Entry: Sendable {
    let place: TextPlace
    /// Where its words end.
    let end: UInt32
  }

  private var entries: [Entry] = []
  private var words: [UInt8] = []

  var count: Int { entries.count }
  var storageBytes: Int { entries.storageBytes + words.storageBytes }

  mutating func append(_ text: TextWords, at place: TextPlace) {
    words += text.bytes
    entries.append(Entry(place: place, end: UInt32(words.count)))
  }

  /// Takes these owners' texts out, words and all.
  mutating func remove(_ owners: Set<UInt32>) {
    guard entries.contains(where: { owners.contains($0.place.owner) }) else { return }
    var rest = TextHead()
    for index in entries.indices where !owners.contains(entries[index].place.owner) {
      rest.words += words[words(of: index)]
      rest.entries.append(Entry(place: entries[index].place, end: UInt32(rest.words.count)))
    }
    self = rest
  }

  /// Calls `body` with the place of each text that has all words.
  func find(_ query: TextQuery, _ body: (TextPlace) -> Void) {
    for index in entries.indices {
      var missing = query.words
      forEachWord(in: words(of: index)) { word in missing.removeAll { $0.matches(words, word) } }
      if missing.isEmpty { body(entries[index].place) }
    }
  }

  /// Each word that is there.
  var vocabulary: Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    forEachWord(in: words.indices) { found.insert(Array(words[$0])) }
    return found
  }

  /// All of it, sorted.
  func sealed() -> TextSegment {
    let order = entries.indices.sorted { TextPlace.standsBefore(entries[$0].place, entries[$1].place) }
    var occurrences: [WordOccurrence] = []
    for (number, index) in order.enumerated() {
      forEachWord(in: words(of: index)) { word in
        occurrences.append(WordOccurrence(word, in: words, of: UInt32(number)))
      }
    }
    occurrences.sort { $0.precedes($1, in: words) }
    var terms = TermTable.Builder()
    var place = 0
    while place < occurrences.count {
      let first = occurrences[place]
      var numbers: [UInt32] = []
      while place < occurrences.count, occurrences[place].isSame(as: first, in: words) {
        // One that comes twice in a text stands once.
        if numbers.last != occurrences[place].text { numbers.append(occurrences[place].text) }
        place += 1
      }
      terms.append(Array(words[first.place]), numbers)
    }
    return TextSegment(PlaceTable(order.map { entries[$0].place }), terms.finish())
  }

  private func words(of index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(entries[index - 1].end))..<Int(entries[index].end)
  }

  private func forEachWord(in range: Range<Int>, _ body: (Range<Int>) -> Void) {
    var place = range.lowerBound
    while place < range.upperBound {
      let begin = place + 1
      place = begin + Int(words[place])
      body(begin..<place)
    }
  }
}

extension TextQuery.Word {
  /// - Parameter range: where the word stands in `words`.
  fileprivate func matches(_ words: [UInt8], _ range: Range<Int>) -> Bool {
    guard isBeginning ? range.count >= bytes.count : range.count == bytes.count else { return false }
    for place in bytes.indices where words[range.lowerBound + place] != bytes[place] { return false }
    return true
  }
}

/// A word in a text, to be sorted.
private struct WordOccurrence {
  /// Its first eight bytes: mostly they tell two apart.
  let key: UInt64
  let begin: UInt32
  let length: UInt32
  let text: UInt32

  init(_ range: Range<Int>, in words: [UInt8], of text: UInt32) {
    var key: UInt64 = 0
    for place in 0..<8 { key = key << 8 | (place < range.count ? UInt64(words[range.lowerBound + place]) : 0) }
    self.key = key
    begin = UInt32(range.lowerBound)
    length = UInt32(range.count)
    self.text = text
  }

  var place: Range<Int> { Int(begin)..<Int(begin + length) }

  func precedes(_ other: WordOccurrence, in words: [UInt8]) -> Bool {
    if key != other.key { return key < other.key }
    var place = 8
    while place < min(length, other.length) {
      let (mine, theirs) = (words[Int(begin) + place], words[Int(other.begin) + place])
      if mine != theirs { return mine < theirs }
      place += 1
    }
    return (length, text) < (other.length, other.text)
  }

  func isSame(as other: WordOccurrence, in words: [UInt8]) -> Bool {
    key == other.key && length == other.length && words[place].elementsEqual(words[other.place])
  }
}
