internal import EventSourcing
internal import Foundation

/// The header `retry-after`: seconds, or an HTTP date. Spec: providers 1.2.
enum RetryAfterHeader {
  /// More is not believed. Spec: providers 1.2.
  static let maximum: Duration = .seconds(86_400)

  /// The pause that is asked for; nil if none is, or it cannot be read.
  static func pause(_ value: String?, now: Timestamp) -> Duration? {
    guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
    if value.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
      return min(Int64(value).map { .seconds($0) } ?? maximum, maximum)
    }
    guard let moment = date(value) else { return nil }
    return min(max(.zero, .milliseconds(moment.milliseconds - now.milliseconds)), maximum)
  }

  /// An HTTP date, `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
  static func date(_ value: String) -> Timestamp? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = value.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2, parts[3].utf8.count == 4,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp(iso8601: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }
}
