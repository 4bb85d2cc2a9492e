/// Bytes as hexadecimal digits and back, two for each. Spec: RFC 4648, section 8.
public enum Hexadecimal {
  /// In lowercase.
  @inlinable
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    // No longer than it is: many such texts are kept.
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      var place = 0
      for byte in bytes {
        text[place] = digit(byte >> 4)
        text[place + 1] = digit(byte & 15)
        place += 2
      }
      return place
    }
  }

  /// The lowercase digit of a value below 16.
  @inlinable
  public static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// In lowercase, such as a digest.
  @inlinable
  public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

  /// Reads digits of either case. - Returns: nil unless they are whole pairs of digits.
  @inlinable
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let value = value(of: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  /// What a digit of either case stands for; nil if it is none.
  @inlinable
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether it is a digit, of either case.
  @inlinable
  public static func isDigit(_ byte: UInt8) -> Bool { value(of: byte) != nil }
}
