import TextEncoding

/// The canonical form 8-4-4-4-12.
package enum UUIDText {
  /// - Parameter bytes: sixteen of them; what is behind them counts for nothing.
  package static func text(_ bytes: [UInt8]) -> String {
    // Each push and each chat has one: in one piece.
    String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      func put(_ digit: UInt8) {
        text[place] = digit
        place += 1
      }
      for (index, byte) in bytes.prefix(16).enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { put(UInt8(ascii: "-")) }
        put(Hexadecimal.digit(byte >> 4))
        put(Hexadecimal.digit(byte & 15))
      }
      return place
    }
  }
}
