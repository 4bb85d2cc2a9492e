/// What is looked for: all of these words have to be in a text, the last one may be a beginning.
///
/// Of a run of ideographs each two neighbours are wanted; one that stands alone may stand anywhere in a run.
public struct TextQuery: Sendable, Equatable {
  struct Word: Sendable, Equatable {
    var bytes: [UInt8]
    /// Longer words that begin so are meant too.
    var isBeginning: Bool

    func matches(_ word: [UInt8]) -> Bool { isBeginning ? word.starts(with: bytes) : word == bytes }
  }

  let words: [Word]

  /// Why a text cannot be looked for.
  public enum Flaw: Error, Equatable {
    case tooLong
    case noWord
    case tooManyWords
  }

  public init(_ text: String) throws(Flaw) {
    guard text.utf8.count <= TextSearchLimits.queryBytesMaximum else { throw .tooLong }
    var words: [Word] = []
    var isLastSpelled = false
    WordReader.read(text) { bytes, _, kind in
      isLastSpelled = kind == .letters
      // What ends a run is also in the pair before it.
      if kind == .end { return }
      words.append(Word(bytes: bytes, isBeginning: kind == .alone))
    }
    guard !words.isEmpty else { throw .noWord }
    guard words.count <= TextSearchLimits.queryWordsMaximum else { throw .tooManyWords }
    if isLastSpelled { words[words.count - 1].isBeginning = true }
    // `orders ord` asks for nothing more than `orders`.
    self.words = words.enumerated().filter { place, word in
      !words.enumerated().contains { other, longer in
        other != place && (longer != word || other < place) && word.isImplied(by: longer)
      }
    }.map(\.element)
  }

  /// Whether a text has what is looked for.
  public func matches(_ text: String) -> Bool {
    var missing = words
    WordReader.read(text) { word, _, _ in missing.removeAll { $0.matches(word) } }
    return missing.isEmpty
  }
}

extension TextQuery.Word {
  /// Whatever has `other` has this one too.
  fileprivate func isImplied(by other: TextQuery.Word) -> Bool {
    if isBeginning { return other.bytes.starts(with: bytes) }
    return !other.isBeginning && bytes == other.bytes
  }
}
