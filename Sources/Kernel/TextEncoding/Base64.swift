/// Bytes as text and back, in both alphabets. Spec: RFC 4648, 4 and 5.
public enum Base64 {
  public enum Alphabet: Sendable {
    /// `+` and `/`.
    case standard
    /// `-` and `_`.
    case url
    /// Reads both.
    case either
  }

  /// In the standard alphabet, with padding.
  @inlinable
  public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, Digits.standard, isPadded: true) }

  /// In the alphabet for URLs.
  @inlinable
  public static func encodeForURL(_ bytes: some Sequence<UInt8>, isPadded: Bool = false) -> String {
    encode(bytes, Digits.url, isPadded: isPadded)
  }

  /// Reads either alphabet, with padding or without. - Returns: nil unless the text is well-formed.
  @inlinable
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var digits = Array(text.utf8)[...]
    let length = digits.count
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard length - digits.count <= 2 else { return nil }
    return decode(digits: digits, .either)
  }

  /// Reads digits without padding. - Returns: nil unless they are well-formed.
  @inlinable
  public static func decode(digits: some Sequence<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    let values = Digits.values(alphabet)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.underestimatedCount * 6 / 8)
    var (bits, bitCount) = (UInt32(0), 0)
    for digit in digits {
      let value = values[Int(digit)]
      guard value != Digits.none else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bitCount == 6 ? nil : bytes
  }

  /// Whether it is one of the 64 digits for URLs.
  public static func isForURL(_ byte: UInt8) -> Bool { Digits.values(.url)[Int(byte)] != Digits.none }

  @inlinable
  static func encode(_ bytes: some Sequence<UInt8>, _ digits: [UInt8], isPadded: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 4)
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(digits[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { text.append(digits[Int(bits << UInt32(6 - bitCount) & 63)]) }
    while isPadded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  @usableFromInline
  enum Digits {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    @usableFromInline static let standard = letters + Array("+/".utf8)
    @usableFromInline static let url = letters + Array("-_".utf8)
    @usableFromInline static let none: UInt8 = 0xFF

    private static let standardValues = table(of: [standard])
    private static let urlValues = table(of: [url])
    private static let eitherValues = table(of: [standard, url])

    private static func table(of alphabets: [[UInt8]]) -> [UInt8] {
      var values = [UInt8](repeating: none, count: 256)
      for digits in alphabets {
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
      }
      return values
    }

    @usableFromInline
    static func values(_ alphabet: Alphabet) -> [UInt8] {
      switch alphabet {
      case .standard: standardValues
      case .url: urlValues
      case .either: eitherValues
      }
    }
  }
}
