/// A kind of whole number, all of which are written as zigzag; which of them it has, its reading says.
public protocol IntegerKind: PayloadKind where Value == Int {}

extension IntegerKind {
  @inlinable
  public static func write(_ value: Int, _ field: Int, into writer: inout PayloadWriter) {
    writer.integer(field, value)
  }
}

/// A number that is never negative, and far from overflowing when one is added.
public enum Count: IntegerKind {
  /// - Throws: `outOfRange`.
  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Int {
    let value = try reader.integer()
    guard value >= 0, value < Int.max / 2 else { throw .outOfRange(field: field) }
    return value
  }
}

/// A position, or how often something was: 0…`Int32.max`.
public enum Ordinal: IntegerKind {
  /// - Throws: `outOfRange`.
  @inlinable
  public static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Int {
    let value = try reader.signed()
    guard value >= 0, value <= Int64(Int32.max) else { throw .outOfRange(field: field) }
    return Int(truncatingIfNeeded: value)
  }
}

/// Many numbers in one field, without a key each. A field that comes twice is two parts of one list: it can be read
/// with `PayloadFields.all` only.
public enum Packed<Kind: PackedKind> {}

/// What can stand in such a list.
public protocol PackedKind: Sendable {
  associatedtype Value

  static func packed(_ value: Value) -> UInt64

  /// Nil if the kind has no such value.
  static func unpacked(_ bits: UInt64) -> Value?
}

extension UInt64: PackedKind {
  @inlinable
  public static func packed(_ value: UInt64) -> UInt64 { value }

  @inlinable
  public static func unpacked(_ bits: UInt64) -> UInt64? { bits }
}

extension Count: PackedKind {
  @inlinable
  public static func packed(_ value: Int) -> UInt64 { UInt64(bitPattern: Int64(value)) }

  @inlinable
  public static func unpacked(_ bits: UInt64) -> Int? { bits < UInt64(Int.max / 2) ? Int(bits) : nil }
}

extension Ordinal: PackedKind {
  @inlinable
  public static func packed(_ value: Int) -> UInt64 { UInt64(value) }

  @inlinable
  public static func unpacked(_ bits: UInt64) -> Int? { bits <= UInt64(Int32.max) ? Int(bits) : nil }
}
