/// A sorted set in pieces, for indexes that lists come from: a change costs a piece, however large the set is, and a list
/// that goes on behind an element finds its place at once.
package struct SortedPieces<Element: Comparable & Sendable>: Sendable {
  private static var pieceMaximum: Int { 512 }

  /// None is empty.
  private var pieces: [[Element]] = []
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  var first: Element? { pieces.first?.first }

  /// - Returns: false if it is there already.
  @discardableResult
  package mutating func insert(_ element: Element) -> Bool {
    guard !pieces.isEmpty else {
      pieces = [[element]]
      count = 1
      return true
    }
    let piece = self.piece(of: element)
    let place = Self.place(of: element, in: pieces[piece])
    if place < pieces[piece].count, pieces[piece][place] == element { return false }
    count += 1
    if pieces[piece].count < Self.pieceMaximum {
      pieces[piece].insert(element, at: place)
    } else if place == pieces[piece].count {
      // Mostly the newest is the greatest: full pieces stay full.
      pieces.insert([element], at: piece + 1)
    } else {
      pieces[piece].insert(element, at: place)
      let half = pieces[piece].count / 2
      let upper = Array(pieces[piece][half...])
      pieces[piece].removeSubrange(half...)
      pieces.insert(upper, at: piece + 1)
    }
    return true
  }

  /// - Returns: false if it is not there.
  @discardableResult
  package mutating func remove(_ element: Element) -> Bool {
    guard !pieces.isEmpty else { return false }
    let piece = self.piece(of: element)
    let place = Self.place(of: element, in: pieces[piece])
    guard place < pieces[piece].count, pieces[piece][place] == element else { return false }
    count -= 1
    if pieces[piece].count == 1 { pieces.remove(at: piece) } else { pieces[piece].remove(at: place) }
    return true
  }

  /// The first ones that are greater than `element` (nil: from the beginning) and fit, at most `limit`.
  package func elements(
    after element: Element? = nil, limit: Int = .max, where fits: (Element) -> Bool = { _ in true }
  ) -> [Element] {
    var found: [Element] = []
    guard limit > 0, !pieces.isEmpty else { return found }
    var piece = element.map { self.piece(of: $0) } ?? 0
    var place = element.map { Self.place(of: $0, in: pieces[piece]) } ?? 0
    if let element, place < pieces[piece].count, pieces[piece][place] == element { place += 1 }
    while piece < pieces.count {
      while place < pieces[piece].count {
        if fits(pieces[piece][place]) { found.append(pieces[piece][place]) }
        if found.count == limit { return found }
        place += 1
      }
      (piece, place) = (piece + 1, 0)
    }
    return found
  }

  /// The last ones that are less than `element` (nil: from the end) and fit, at most `limit`, the greatest first.
  package func elements(
    before element: Element?, limit: Int = .max, where fits: (Element) -> Bool = { _ in true }
  ) -> [Element] {
    var found: [Element] = []
    guard limit > 0, !pieces.isEmpty else { return found }
    var piece = element.map { self.piece(of: $0) } ?? pieces.count - 1
    var place = element.map { Self.place(of: $0, in: pieces[piece]) } ?? pieces[piece].count
    while true {
      while place > 0 {
        place -= 1
        if fits(pieces[piece][place]) { found.append(pieces[piece][place]) }
        if found.count == limit { return found }
      }
      guard piece > 0 else { return found }
      piece -= 1
      place = pieces[piece].count
    }
  }

  /// The first one that fits.
  package func first(where fits: (Element) -> Bool) -> Element? { elements(limit: 1, where: fits).first }

  /// How many are less than `element`.
  package func rank(of element: Element) -> Int {
    guard !pieces.isEmpty else { return 0 }
    let piece = self.piece(of: element)
    return pieces[..<piece].reduce(0) { $0 + $1.count } + Self.place(of: element, in: pieces[piece])
  }

  /// The last piece that does not begin behind `element`.
  private func piece(of element: Element) -> Int {
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if pieces[middle][0] <= element { low = middle } else { high = middle }
    }
    return low
  }

  /// Where it is, or would be.
  private static func place(of element: Element, in piece: [Element]) -> Int {
    var (low, high) = (0, piece.count)
    while low < high {
      let middle = (low + high) / 2
      if piece[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
