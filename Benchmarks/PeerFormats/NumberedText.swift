/// A text of the load generator: `#`, nine digits that say which message it is, and then words.
package enum NumberedText {
  private static let digits = 9

  /// The number of the text that begins at `offset`; nil if what stands there is something else.
  package static func number(in bytes: UnsafeRawBufferPointer, at offset: Int = 0) -> Int? {
    guard offset + digits < bytes.count, bytes[offset] == UInt8(ascii: "#") else { return nil }
    var number = 0
    for index in (offset + 1)...(offset + digits) {
      guard bytes[index] >= 48, bytes[index] <= 57 else { return nil }
      number = number * 10 + Int(bytes[index] - 48)
    }
    return number
  }
}
