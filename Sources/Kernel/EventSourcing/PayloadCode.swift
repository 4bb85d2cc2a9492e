/// An enumeration whose cases have frozen numbers in payloads: never changed, and never used again for another case.
public protocol PayloadCode: PayloadKind, PackedKind where Value == Self {
  var code: UInt64 { get }

  /// Nil if there is no such case.
  init?(code: UInt64)
}

extension PayloadCode {
  @inlinable
  public static func write(_ value: Self, _ field: Int, into writer: inout PayloadWriter) {
    writer.unsigned(field, value.code)
  }

  /// - Throws: `outOfRange` if there is no such case.
  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Self {
    guard let value = Self(code: try reader.unsigned()) else { throw .outOfRange(field: field) }
    return value
  }

  @inlinable
  public static func packed(_ value: Self) -> UInt64 { value.code }

  @inlinable
  public static func unpacked(_ bits: UInt64) -> Self? { Self(code: bits) }
}

extension PayloadCode where Self: RawRepresentable<UInt8> {
  @inlinable
  public var code: UInt64 { UInt64(rawValue) }

  @inlinable
  public init?(code: UInt64) {
    guard let raw = UInt8(exactly: code) else { return nil }
    self.init(rawValue: raw)
  }
}

/// For an enumeration whose raw values are the names that others know it by: it says its `code`, and the way back
/// follows.
extension PayloadCode where Self: CaseIterable & RawRepresentable<String> {
  @inlinable
  public init?(code: UInt64) {
    for value in Self.allCases where value.code == code {
      self = value
      return
    }
    return nil
  }
}
