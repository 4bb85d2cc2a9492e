/// What the bytes of a request's head may be. Spec: RFC 9110, 5.5, 5.6.2; RFC 9112, 2.2.
enum HTTPOctet {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")

  /// Of a field's name, or of a word in its value: one bit of a number for each byte below 128.
  @inline(__always) static func isToken(_ byte: UInt8) -> Bool {
    guard byte < 128 else { return false }
    let words: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return (words &>> UInt64(byte & 63)) & 1 == 1
  }

  /// Of a field's value, or of a quoted text: no control character but the tab.
  @inline(__always) static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == tab
  }

  /// Of a request target: what is printed, and is no blank.
  @inline(__always) static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// Of a server with its port and user, in a target that names one. Spec: RFC 3986, 3.2.
  static func isAuthority(_ byte: UInt8) -> Bool {
    if isDigit(byte) || isLetter(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
      UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// The value of a hexadecimal digit; nil for any other byte.
  @inline(__always) static func hexadecimal(_ byte: UInt8) -> Int? {
    if isDigit(byte) { return Int(byte &- 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? Int(letter) + 10 : nil
  }

  /// Whether `bytes` are the lower-case word, in any case. - Parameter word: of letters and hyphens.
  @inline(__always) static func isWord(_ bytes: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    return zip(bytes, letters).allSatisfy { $0 | 0x20 == $1 }
  }
}
