extension Timestamp {
  /// `YYYY-MM-DDThh:mm:ssZ`, the form of every date on the chat surface: UTC, whole seconds.
  public var iso8601: String { iso8601Prefix + "Z" }

  /// Whole seconds since 1970, rounded down: as much of it as `iso8601` shows.
  public var wholeSeconds: Int64 { Self.floorDivide(milliseconds, 1000) }

  /// `YYYY-MM-DDThh:mm:ss.sssZ`, for logs and the journal's tools.
  public var iso8601Milliseconds: String {
    let remainder = milliseconds % 1000
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    let digits = String(fraction)
    return iso8601Prefix + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  /// Reads `YYYY-MM-DDThh:mm:ss[.fff]Z` with up to nine digits of a fraction, of which three count; nil for anything
  /// else, and for a day that its month does not have. Second 60 is read as the first of the next minute.
  public init?(iso8601 text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= 48, byte <= 57 else { return nil }
        value = value * 10 + Int64(byte - 48)
      }
      return value
    }
    let separators: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard separators.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    var fraction: Int64 = 0
    if bytes.count > 20 {
      guard bytes[19] == UInt8(ascii: "."), bytes.count >= 22, bytes.count <= 30 else { return nil }
      let digits = bytes[20..<(bytes.count - 1)]
      guard digits.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
      for place in 0..<3 { fraction = fraction * 10 + (place < digits.count ? Int64(digits[20 + place] - 48) : 0) }
    }
    // Days since the epoch by the civil-calendar algorithm (years begin in March, eras of 400 years).
    let shifted = month <= 2 ? year - 1 : year
    let era = Self.floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    self.init(milliseconds: (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1000 + fraction)
  }

  private var iso8601Prefix: String {
    let seconds = Self.floorDivide(milliseconds, 1000)
    let days = Self.floorDivide(seconds, 86_400)
    let secondOfDay = seconds - days * 86_400
    let shifted = days + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func padded(_ value: Int64, _ width: Int = 2) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    guard (0...9_999).contains(year) else {
      return "\(padded(year, 4))-\(padded(month))-\(padded(day))T\(padded(secondOfDay / 3_600)):"
        + "\(padded(secondOfDay / 60 % 60)):\(padded(secondOfDay % 60))"
    }
    // Every notification carries a date: no string for each of its numbers.
    return String(unsafeUninitializedCapacity: 19) { text in
      func put(_ value: Int64, at offset: Int) {
        text[offset] = UInt8(48 + value / 10)
        text[offset + 1] = UInt8(48 + value % 10)
      }
      put(year / 100, at: 0)
      put(year % 100, at: 2)
      put(month, at: 5)
      put(day, at: 8)
      put(secondOfDay / 3_600, at: 11)
      put(secondOfDay / 60 % 60, at: 14)
      put(secondOfDay % 60, at: 17)
      for (offset, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
        text[offset] = UInt8(ascii: separator)
      }
      return 19
    }
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}
