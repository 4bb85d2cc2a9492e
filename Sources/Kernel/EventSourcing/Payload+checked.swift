// What all codecs need beside the bare fields. Inlinable: generic, and on the way of each replayed event.

extension Optional {
  /// - Throws: `missingField` if the payload had no such field.
  @inlinable
  public func required(_ field: Int) throws(PayloadError) -> Wrapped {
    guard let self else { throw .missingField(field) }
    return self
  }
}

extension PayloadWriter {
  @inlinable
  public mutating func bool(_ field: Int, ifTrue value: Bool) { if value { bool(field, true) } }

  @inlinable
  public mutating func time(_ field: Int, ifPresent value: Timestamp?) { if let value { time(field, value) } }

  /// The number of an enumeration's case.
  @inlinable
  public mutating func code(_ field: Int, _ value: some RawRepresentable<UInt8>) {
    unsigned(field, UInt64(value.rawValue))
  }
}

extension PayloadReader {
  /// Never negative, and far from overflowing when one is added.
  @inlinable
  public mutating func count(_ field: Int) throws(PayloadError) -> Int {
    let value = try integer()
    guard value >= 0, value < Int.max / 2 else { throw .outOfRange(field: field) }
    return value
  }

  /// The number of an enumeration's case. - Throws: `outOfRange` if there is no such case.
  @inlinable
  public mutating func code<Code: RawRepresentable<UInt8>>(_ field: Int) throws(PayloadError) -> Code {
    guard let raw = UInt8(exactly: try unsigned()), let code = Code(rawValue: raw) else {
      throw .outOfRange(field: field)
    }
    return code
  }
}
