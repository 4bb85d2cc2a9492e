package import EventSourcing

/// The time in a header field: `Sun, 06 Nov 1994 08:49:37 GMT`. Spec: RFC 9110, 5.6.7; the obsolete forms are not read.
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  package static func read(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(where: { $0 == parts[2] }) else {
      return nil
    }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp(iso8601: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  /// By how many seconds our clock is ahead of the one that wrote `date` (negative: behind); nil if that is within
  /// bounds, or not known.
  package static func clocksApart(_ date: String?, now: Timestamp, beyond bound: Duration) -> Int64? {
    guard let theirs = date.flatMap({ read($0) }) else { return nil }
    let apart = (now.milliseconds - theirs.milliseconds) / 1_000
    return apart.magnitude > UInt64(max(60, bound.components.seconds)) ? apart : nil
  }
}
