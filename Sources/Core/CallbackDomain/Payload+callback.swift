import EventSourcing

extension Optional {
  /// - Throws: `missingField` if the payload had no such field.
  func required(_ field: Int) throws(PayloadError) -> Wrapped {
    guard let self else { throw .missingField(field) }
    return self
  }
}

extension PayloadWriter {
  mutating func bool(_ field: Int, ifTrue value: Bool) { if value { bool(field, true) } }

  mutating func time(_ field: Int, ifPresent value: Timestamp?) { if let value { time(field, value) } }
}

extension PayloadReader {
  /// Never negative, and far from overflowing when one is added.
  mutating func count(_ field: Int) throws(PayloadError) -> Int {
    let value = try integer()
    guard value >= 0, value < Int.max / 2 else { throw .outOfRange(field: field) }
    return value
  }

  /// The number of an enumeration's case.
  mutating func code<Code: RawRepresentable>(
    _ field: Int
  ) throws(PayloadError) -> Code where Code.RawValue == UInt8 {
    guard let raw = UInt8(exactly: try unsigned()), let code = Code(rawValue: raw) else {
      throw .outOfRange(field: field)
    }
    return code
  }
}
