/// Base64 as HTTP needs it: both alphabets of RFC 4648 (sections 4 and 5) in, and out.
enum Base64 {
  /// Reads either alphabet. Nil unless the text is well-formed; padding may be missing.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    var digits = Array(text.utf8)[...]
    let length = digits.count
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard length - digits.count <= 2 else { return nil }
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bitCount == 6 ? nil : bytes
  }

  static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, alphabet: standard, isPadded: true) }

  static func encodeURLSafe(_ bytes: some Sequence<UInt8>) -> String {
    encode(bytes, alphabet: urlSafe, isPadded: false)
  }

  private static func encode(_ bytes: some Sequence<UInt8>, alphabet: [UInt8], isPadded: Bool) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
    while isPadded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let standard = letters + Array("+/".utf8)
  private static let urlSafe = letters + Array("-_".utf8)

  /// Whether it is one of the 64 letters of the URL-safe alphabet.
  static func isURLSafe(_ byte: UInt8) -> Bool { urlSafe.contains(byte) }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
