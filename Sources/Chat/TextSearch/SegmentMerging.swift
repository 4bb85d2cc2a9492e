/// Makes one segment of several.
struct SegmentMerging {
  private let segments: [TextSegment]
  private let gone: Set<UInt32>
  /// How many texts of each owner were left out.
  private(set) var dropped: [UInt32: Int] = [:]
  /// Of each segment, the new numbers of its texts; `none` for those that are left out.
  private var numbers: [[UInt32]]
  private static let none = UInt32.max

  init(_ segments: [TextSegment], without gone: Set<UInt32>) {
    self.segments = segments
    self.gone = gone
    numbers = segments.map { Array(repeating: Self.none, count: $0.count) }
  }

  /// Nil if nothing is left.
  mutating func merged() -> TextSegment? {
    let places = mergedPlaces()
    return places.isEmpty ? nil : TextSegment(PlaceTable(places), mergedTerms())
  }

  private mutating func mergedPlaces() -> [TextPlace] {
    let all = segments.map(\.places.places)
    var at = Array(repeating: 0, count: all.count)
    var places: [TextPlace] = []
    places.reserveCapacity(all.reduce(0) { $0 + $1.count })
    while true {
      var least: Int?
      for source in all.indices where at[source] < all[source].count {
        if let other = least, !TextPlace.standsBefore(all[source][at[source]], all[other][at[other]]) { continue }
        least = source
      }
      guard let source = least else { return places }
      let place = all[source][at[source]]
      if gone.contains(place.owner) {
        dropped[place.owner, default: 0] += 1
      } else {
        numbers[source][at[source]] = UInt32(places.count)
        places.append(place)
      }
      at[source] += 1
    }
  }

  private func mergedTerms() -> TermTable {
    var cursors: [TermTable.Cursor] = []
    var sources: [Int] = []
    for (source, segment) in segments.enumerated() {
      var cursor = segment.terms.start
      if cursor.advance() {
        cursors.append(cursor)
        sources.append(source)
      }
    }
    var builder = TermTable.Builder()
    var texts: [UInt32] = []
    while var least = cursors.indices.first {
      for index in cursors.indices.dropFirst() where cursors[index].word.precedes(cursors[least].word) { least = index }
      let word = cursors[least].word
      texts.removeAll(keepingCapacity: true)
      var holders = 0
      for index in cursors.indices.reversed() where cursors[index].word == word {
        let count = texts.count
        let numbers = numbers[sources[index]]
        cursors[index].forEachText { if numbers[Int($0)] != Self.none { texts.append(numbers[Int($0)]) } }
        if texts.count > count { holders += 1 }
        if !cursors[index].advance() {
          cursors.remove(at: index)
          sources.remove(at: index)
        }
      }
      if holders > 1 { texts.sort() }
      if !texts.isEmpty { builder.append(word, texts) }
    }
    return builder.finish()
  }
}
