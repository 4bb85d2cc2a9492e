/// One range of bytes that a request asks for. Spec: RFC 9110, 14.1.2.
struct ByteRange: Equatable {
  let first: Int
  /// Nil: to the end.
  let last: Int?

  /// Nil for several ranges, for the last bytes, and for what is no range: all of the file is sent then.
  init?(_ field: String) {
    let prefix = "bytes="
    guard field.hasPrefix(prefix) else { return nil }
    let ends = field.dropFirst(prefix.count).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]) else { return nil }
    self.first = first
    if ends[1].isEmpty {
      last = nil
    } else {
      guard let last = Self.number(ends[1]), last >= first else { return nil }
      self.last = last
    }
  }

  /// What there is of it in a file of that length; nil if nothing is.
  func range(in byteCount: Int) -> Range<Int>? {
    guard first < byteCount else { return nil }
    return first..<(min(last ?? .max, byteCount - 1) + 1)
  }

  private static func number(_ digits: Substring) -> Int? {
    digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
  }
}
