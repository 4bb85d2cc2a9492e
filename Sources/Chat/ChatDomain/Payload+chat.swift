import EventSourcing

extension Optional {
  /// - Throws: `outOfRange` if the field's enumeration does not have the number.
  func inRange(_ field: Int) throws(PayloadError) -> Wrapped {
    guard let self else { throw .outOfRange(field: field) }
    return self
  }
}

extension PayloadWriter {
  mutating func pairs(_ field: Int, _ pairs: [DataPair]) { put(each: PayloadField<DataPair>(field), pairs) }
  mutating func integer(_ field: Int, ifNotZero value: Int) { if value != 0 { integer(field, value) } }

  mutating func time(_ field: Int, ifNotEpoch value: Timestamp) { if value != .epoch { time(field, value) } }
}

extension PayloadReader {
  /// A position, a number or a count: never negative, and far from overflowing when one is added.
  mutating func ordinal(_ field: Int) throws(PayloadError) -> Int {
    let value = try signed()
    guard value >= 0, value <= Int64(Int32.max) else { throw .outOfRange(field: field) }
    return Int(value)
  }

  /// A list of such, written with `packed`.
  mutating func ordinals(_ field: Int) throws(PayloadError) -> [Int] {
    var values: [Int] = []
    for value in try packed() {
      guard value <= UInt64(Int32.max) else { throw .outOfRange(field: field) }
      values.append(Int(value))
    }
    return values
  }

  mutating func pair() throws(PayloadError) -> DataPair { try DataPair.read(&self, 0) }
}
