// Many numbers in one field, without a key each (Protocol Buffers: packed). For columns, where a nested message for
// each element would take more room than what it says.
extension PayloadWriter {
  /// Takes no room if there are no values.
  public mutating func packed(_ field: Int, _ values: [UInt64]) {
    guard !values.isEmpty else { return }
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(values.reduce(0) { $0 + Self.varintByteCount($1) }))
    for value in values { varint(value) }
  }

  private static func varintByteCount(_ value: UInt64) -> Int { max(1, (70 - value.leadingZeroBitCount) / 7) }
}

extension PayloadReader {
  /// The values of one field written by `packed`. A field that comes twice is two parts of one list.
  public mutating func packed() throws(PayloadError) -> [UInt64] {
    var inner = try nested()
    var values: [UInt64] = []
    values.reserveCapacity(inner.count / 2)
    while inner.offset < inner.count { values.append(try inner.varint()) }
    return values
  }
}
