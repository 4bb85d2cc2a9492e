internal import JournalFormat

/// Takes a text apart line by line, each of which ends with a line feed.
struct TextLines {
  private(set) var rest: ArraySlice<UInt8>
  /// Of the line that was taken last; 0 before the first.
  private(set) var number: Int

  /// - Parameter lineCount: how many lines there were before.
  init(_ bytes: ArraySlice<UInt8>, after lineCount: Int = 0) {
    rest = bytes
    number = lineCount
  }

  /// The next line without its end; nil if there is none, or it has no end.
  mutating func next() -> ArraySlice<UInt8>? {
    number += 1
    guard let end = rest.firstIndex(of: lineFeed) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
  }

  /// What follows `word` and a space in the next line; nil, and the line stays, if it does not begin so.
  mutating func next(after word: StaticString) -> ArraySlice<UInt8>? {
    let prefix = Array(word.description.utf8) + [UInt8(ascii: " ")]
    guard rest.starts(with: prefix) else { return nil }
    return next()?.dropFirst(prefix.count)
  }

  /// The hashes of a proof, one in a line, up to the empty line, which is taken too.
  ///
  /// - Returns: nil if line `number` is neither, or one too many.
  mutating func hashes() -> [Hash256]? {
    var hashes: [Hash256] = []
    while let line = next() {
      if line.isEmpty { return hashes }
      guard hashes.count < MerkleProof.maximumCount, let hash = Hash256(base64: line) else { return nil }
      hashes.append(hash)
    }
    return nil
  }
}

let lineFeed = UInt8(ascii: "\n")

/// A whole number as all of these formats write it.
enum Decimal {
  /// - Returns: nil unless `text` is exactly what a number within bounds looks like: no sign, no zeros before it.
  static func parse(_ text: ArraySlice<UInt8>) -> UInt64? {
    guard text.count <= 19, let number = UInt64(String(decoding: text, as: UTF8.self)),
      number <= EvidenceLimits.numberMaximum, String(number).utf8.elementsEqual(text)
    else { return nil }
    return number
  }
}

extension Base64 {
  static func decode(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    // Bytes that are no text are no Base64 either.
    String(validating: line, as: UTF8.self).flatMap { decode($0) }
  }
}

extension Hash256 {
  init?(base64 line: ArraySlice<UInt8>) {
    guard line.count == 44, let bytes = Base64.decode(line), bytes.count == 32 else { return nil }
    guard let hash = bytes.withUnsafeBytes({ Hash256($0) }) else { return nil }
    self = hash
  }

  package var base64: String { Base64.encode(bytes) }
}
