import EventSourcing

/// A value that stands in payloads as a message inside the message.
protocol PayloadPart {
  func encode(into writer: inout PayloadWriter)

  /// Skips the fields that it does not know.
  init(payload: inout PayloadReader) throws(PayloadError)
}

extension PayloadWriter {
  mutating func integer(_ field: Int, ifPresent value: Int?) { if let value { integer(field, value) } }

  mutating func signed(_ field: Int, ifPresent value: Int64?) { if let value { signed(field, value) } }

  mutating func data(_ field: Int, ifPresent value: [UInt8]?) { if let value { data(field, value) } }

  mutating func counts(_ field: Int, _ values: [Int]) { packed(field, values.map { UInt64(bitPattern: Int64($0)) }) }

  mutating func texts(_ field: Int, _ values: [String]) { for value in values { text(field, value) } }

  mutating func part(_ field: Int, _ value: (some PayloadPart)?) {
    if let value { nested(field) { value.encode(into: &$0) } }
  }

  mutating func parts(_ field: Int, _ values: [some PayloadPart]) { for value in values { part(field, value) } }
}

extension PayloadReader {
  /// A list of counts, written with `counts`.
  mutating func counts(_ field: Int) throws(PayloadError) -> [Int] {
    var counts: [Int] = []
    for value in try packed() {
      guard value < UInt64(Int.max / 2) else { throw .outOfRange(field: field) }
      counts.append(Int(value))
    }
    return counts
  }

  mutating func part<Part: PayloadPart>() throws(PayloadError) -> Part {
    var inner = try nested()
    return try Part(payload: &inner)
  }
}
