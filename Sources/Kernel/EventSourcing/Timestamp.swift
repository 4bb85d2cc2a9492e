/// A moment of wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Pure code never asks for the time: it arrives with the command. Deadlines are journalled as `Timestamp`s, so that a
/// restart knows which of them have passed meanwhile.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The beginning of 1970; stands for "never" where a state has not begun.
  public static let epoch = Timestamp(milliseconds: 0)

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// This moment plus `duration`, rounded down to milliseconds; saturates instead of overflowing.
  public func advanced(by duration: Duration) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
    return overflow ? Timestamp(milliseconds: duration < .zero ? .min : .max) : Timestamp(milliseconds: sum)
  }

  /// Whole seconds since `earlier`, rounded down and never negative (a clock may have been set back).
  public func seconds(since earlier: Timestamp) -> Int64 {
    guard self > earlier else { return 0 }
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return (overflow ? .max : difference) / 1000
  }

  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

extension Duration {
  /// This duration in milliseconds, rounded down; saturates at the bounds of `Int64`.
  public var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, productOverflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !productOverflow else { return seconds < 0 ? .min : .max }
    // Both components of a negative duration are negative, and division rounds towards zero.
    let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
    let (sum, sumOverflow) = product.addingReportingOverflow(rest < 0 ? quotient - 1 : quotient)
    guard !sumOverflow else { return seconds < 0 ? .min : .max }
    return sum
  }
}
