/// The words of a text, as an index takes them: made before its lock is taken.
public struct TextWords: Sendable, Equatable {
  /// Of each its length, then itself.
  let bytes: [UInt8]

  public init(of text: String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(text.utf8.count + 16, TextSearchLimits.textBytesMaximum))
    WordReader.read(text) { word, _, _ in
      guard bytes.count + word.count < TextSearchLimits.textBytesMaximum else { return }
      bytes.append(UInt8(word.count))
      bytes += word
    }
    self.bytes = bytes
  }

  /// Nothing in it can be found.
  public var isEmpty: Bool { bytes.isEmpty }
}
