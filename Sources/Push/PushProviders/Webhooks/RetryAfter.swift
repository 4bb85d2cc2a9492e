internal import EventSourcing

/// The header `Retry-After`. Spec: RFC 9110, 10.2.3.
enum RetryAfter {
  /// The longest wish that is honoured. Spec: providers 1.2.
  static let maximum: Duration = .seconds(86_400)

  /// How long to wait; nil if the value is neither seconds nor a date.
  /// - Parameters:
  ///   - date: the answer's own `Date`: against it a date is right even if the receiver's clock is not.
  ///   - now: stands in for `date` if there is none.
  static func pause(_ value: String, date: String?, now: Timestamp) -> Duration? {
    if !value.isEmpty, value.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
      // More digits than fit are a very long time.
      return min(.seconds(Int64(value) ?? .max), maximum)
    }
    guard let until = timestamp(value) else { return nil }
    let start = date.flatMap(timestamp) ?? now
    return min(.seconds(until.seconds(since: start)), maximum)
  }

  /// One of the three forms of a date in HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
  /// `Sun Nov  6 08:49:37 1994`. Spec: RFC 9110, 5.6.7.
  static func timestamp(_ value: String) -> Timestamp? {
    guard value.utf8.count <= 40 else { return nil }
    let parts = value.split { $0 == " " || $0 == "," || $0 == "-" }
    let (day, month, year, time): (Substring, Substring, Substring, Substring)
    switch parts.count {
    case 6 where parts[5] == "GMT": (day, month, year, time) = (parts[1], parts[2], parts[3], parts[4])
    case 5: (day, month, year, time) = (parts[2], parts[1], parts[4], parts[3])
    default: return nil
    }
    guard let monthIndex = months.firstIndex(of: month), day.utf8.count <= 2 else { return nil }
    // Two digits mean the year nearest to the time of writing. Spec: RFC 9110, 5.6.7.
    let fullYear = year.utf8.count == 2 ? (year < "77" ? "20\(year)" : "19\(year)") : "\(year)"
    func twoDigits(_ text: some StringProtocol) -> String { text.utf8.count == 1 ? "0\(text)" : "\(text)" }
    return Timestamp(iso8601: "\(fullYear)-\(twoDigits(String(monthIndex + 1)))-\(twoDigits(day))T\(time)Z")
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
