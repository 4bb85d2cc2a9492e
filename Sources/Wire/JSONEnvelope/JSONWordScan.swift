/// Looks at eight bytes at once, held in a little-endian word: the lowest marked byte is the first in the text.
enum JSONWordScan {
  static let highBits: UInt64 = 0x8080_8080_8080_8080
  private static let lowBits: UInt64 = 0x0101_0101_0101_0101

  /// The high bit set in each byte that is a quotation mark, a backslash or a control character. The lowest mark is
  /// exact; above it a borrow may have left false ones.
  @inline(__always)
  static func stops(in word: UInt64) -> UInt64 {
    let controls = (word &- lowBits &* 0x20) & ~word
    let quotes = word ^ (lowBits &* 0x22)
    let backslashes = word ^ (lowBits &* 0x5C)
    return (controls | ((quotes &- lowBits) & ~quotes) | ((backslashes &- lowBits) & ~backslashes)) & highBits
  }
}
