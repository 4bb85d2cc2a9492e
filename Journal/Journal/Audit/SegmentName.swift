public import JournalFormat

/// Number and id of a segment. Ids are random: two journals never share one.
public struct SegmentName: Sendable, Hashable, CustomStringConvertible {
  public let number: UInt64
  public let id: SegmentID

  public init(number: UInt64, id: SegmentID) {
    self.number = number
    self.id = id
  }

  /// - Parameter text: as `description` writes it.
  public init?(text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let number = UInt64(parts[0]), parts[1].utf8.count == 32,
      let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16)
    else { return nil }
    self.init(number: number, id: SegmentID(high: high, low: low))
    guard description == text else { return nil }
  }

  /// `12 9be0…`: the number, then the id's 32 hexadecimal digits.
  public var description: String { "\(number) \(Self.digits(id.high))\(Self.digits(id.low))" }

  private static func digits(_ value: UInt64) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}
