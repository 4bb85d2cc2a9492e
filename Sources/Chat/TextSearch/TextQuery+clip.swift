// What of a text is shown where something was found in it.
extension TextQuery {
  /// A piece of a text around the longest of the words that were looked for; all of it if it is short enough. `…` stands
  /// where something was left out.
  /// - Parameter bytesMaximum: UTF-8 bytes of the piece, without `…`.
  public func clip(of text: String, bytesMaximum: Int) -> String {
    guard text.utf8.count > bytesMaximum else { return text }
    let match = longestMatch(in: text) ?? 0..<0
    // A third of the room in front of it, and all of it if it fits.
    var start = max(0, min(match.lowerBound - bytesMaximum / 3, text.utf8.count - bytesMaximum))
    start = min(start, match.lowerBound)
    let first = text.characterIndex(upTo: start)
    var end = first
    var room = bytesMaximum
    while end < text.endIndex {
      room -= text[end].utf8.count
      if room < 0 { break }
      end = text.index(after: end)
    }
    return (first > text.startIndex ? "…" : "") + text[first..<end] + (end < text.endIndex ? "…" : "")
  }

  private func longestMatch(in text: String) -> Range<Int>? {
    var found: (length: Int, place: Range<Int>)?
    WordReader.read(text) { word, place, _ in
      for wanted in words where wanted.matches(word) && wanted.bytes.count > found?.length ?? 0 {
        found = (wanted.bytes.count, place)
      }
    }
    return found?.place
  }
}

extension String {
  /// The beginning of the character that a place in the UTF-8 is in.
  fileprivate func characterIndex(upTo offset: Int) -> Index {
    var place = utf8.index(startIndex, offsetBy: offset)
    while place > startIndex, Index(place, within: self) == nil { place = utf8.index(before: place) }
    return place
  }
}
