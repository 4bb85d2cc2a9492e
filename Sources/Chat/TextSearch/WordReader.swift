/// Finds the words of a text, one after the other, folded.
///
/// A word is a run of letters, digits and what belongs to them. Scripts that leave no room between words are read by two:
/// `東京都` is `東京`, `京都`, and the last character alone, so that each character begins a word.
struct WordReader {
  /// Folded, and where it stands.
  typealias Take = (_ word: [UInt8], _ place: Range<Int>, _ kind: Kind) -> Void

  enum Kind {
    case letters
    /// Two ideographs.
    case pair
    /// The last ideograph of several.
    case end
    /// An ideograph between other things.
    case alone
  }

  private var word: [UInt8] = []
  private var start = 0
  private var end = 0
  /// The ideograph that came last.
  private var pending: (scalar: Unicode.Scalar, place: Range<Int>, hasOneBefore: Bool)?

  /// - Parameter take: gets each word with its place in the text's UTF-8.
  static func read(_ text: String, _ take: Take) {
    var reader = WordReader()
    var offset = 0
    for scalar in text.unicodeScalars {
      let width = UTF8.width(scalar)
      reader.read(FoldedScalar(scalar), at: offset..<offset + width, take)
      offset += width
    }
    reader.finish(take)
  }

  private mutating func read(_ scalar: FoldedScalar, at place: Range<Int>, _ take: Take) {
    switch scalar {
    case .separator: finish(take)
    case .mark: if pending == nil, !word.isEmpty { end = place.upperBound }
    case .letter(let letter): append(letter, at: place, take)
    case .letters(let first, let second):
      append(first, at: place, take)
      append(second, at: place, take)
    case .ideograph(let ideograph):
      finishWord(take)
      if let before = pending {
        take(
          Self.bytes(before.scalar) + Self.bytes(ideograph), before.place.lowerBound..<place.upperBound, .pair)
      }
      pending = (ideograph, place, pending != nil)
    }
  }

  private mutating func append(_ letter: Unicode.Scalar, at place: Range<Int>, _ take: Take) {
    finishIdeographs(take)
    if word.isEmpty { start = place.lowerBound }
    end = place.upperBound
    if letter.isASCII {
      if word.count < TextSearchLimits.wordBytesMaximum { word.append(UInt8(letter.value)) }
    } else if word.count + UTF8.width(letter) <= TextSearchLimits.wordBytesMaximum {
      word += Self.bytes(letter)
    }
  }

  private mutating func finish(_ take: Take) {
    finishWord(take)
    finishIdeographs(take)
  }

  private mutating func finishWord(_ take: Take) {
    guard !word.isEmpty else { return }
    take(word, start..<end, .letters)
    word.removeAll(keepingCapacity: true)
  }

  private mutating func finishIdeographs(_ take: Take) {
    guard let last = pending else { return }
    pending = nil
    take(Self.bytes(last.scalar), last.place, last.hasOneBefore ? .end : .alone)
  }

  private static func bytes(_ scalar: Unicode.Scalar) -> [UInt8] { Array(UTF8.encode(scalar) ?? .init()) }
}
