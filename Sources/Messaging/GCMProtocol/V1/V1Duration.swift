/// A protobuf duration in JSON, such as `3.5s`. Spec: GCM E3.
enum V1Duration {
  /// Thousandths of a second, what is less cut off. Nil if it is none.
  static func milliseconds(_ text: String) -> Int64? {
    // With the same rules; how long it is at most is the caller's.
    guard seconds(text) != nil, let seconds = Double(text.dropLast()), abs(seconds) < 1e12 else { return nil }
    return Int64((seconds * 1_000).rounded(.towardZero))
  }

  /// Whole seconds, the begun one counted: what is worth half a second is not to be "now or never". Nil if it is none.
  static func seconds(_ text: String) -> Int? {
    guard text.utf8.count <= 24, text.utf8.last == UInt8(ascii: "s") else { return nil }
    let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, isDigits(whole.hasPrefix("-") ? whole.dropFirst() : whole), let seconds = Int(whole)
    else { return nil }
    guard parts.count == 2 else { return seconds }
    let fraction = parts[1]
    guard isDigits(fraction), fraction.utf8.count <= 9 else { return nil }
    guard !whole.hasPrefix("-") else { return min(seconds, -1) }
    return fraction.allSatisfy { $0 == "0" } ? seconds : seconds.addingReportingOverflow(1).partialValue
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
