import EventSourcing

/// A value that stands in payloads as a message inside the message.
protocol PayloadPart {
  func encode(into writer: inout PayloadWriter)

  /// Skips the fields that it does not know.
  init(payload: inout PayloadReader) throws(PayloadError)
}

extension Optional {
  /// - Throws: `missingField` if the payload had no such field.
  func required(_ field: Int) throws(PayloadError) -> Wrapped {
    guard let self else { throw .missingField(field) }
    return self
  }
}

extension PayloadWriter {
  mutating func bool(_ field: Int, ifTrue value: Bool) { if value { bool(field, true) } }

  mutating func integer(_ field: Int, ifPresent value: Int?) { if let value { integer(field, value) } }

  mutating func signed(_ field: Int, ifPresent value: Int64?) { if let value { signed(field, value) } }

  mutating func time(_ field: Int, ifPresent value: Timestamp?) { if let value { time(field, value) } }

  mutating func data(_ field: Int, ifPresent value: [UInt8]?) { if let value { data(field, value) } }

  mutating func code(_ field: Int, _ value: some RawRepresentable<UInt8>) { unsigned(field, UInt64(value.rawValue)) }

  mutating func counts(_ field: Int, _ values: [Int]) { packed(field, values.map { UInt64(bitPattern: Int64($0)) }) }

  mutating func texts(_ field: Int, _ values: [String]) { for value in values { text(field, value) } }

  mutating func part(_ field: Int, _ value: (some PayloadPart)?) {
    if let value { nested(field) { value.encode(into: &$0) } }
  }

  mutating func parts(_ field: Int, _ values: [some PayloadPart]) { for value in values { part(field, value) } }
}

extension PayloadReader {
  /// Never negative, and far from overflowing when one is added.
  mutating func count(_ field: Int) throws(PayloadError) -> Int {
    let value = try integer()
    guard value >= 0, value < Int.max / 2 else { throw .outOfRange(field: field) }
    return value
  }

  /// A list of such, written with `counts`.
  mutating func counts(_ field: Int) throws(PayloadError) -> [Int] {
    var counts: [Int] = []
    for value in try packed() {
      guard value < UInt64(Int.max / 2) else { throw .outOfRange(field: field) }
      counts.append(Int(value))
    }
    return counts
  }

  /// The number of an enumeration's case.
  mutating func code<Code: RawRepresentable<UInt8>>(_ field: Int) throws(PayloadError) -> Code {
    guard let raw = UInt8(exactly: try unsigned()), let code = Code(rawValue: raw) else {
      throw .outOfRange(field: field)
    }
    return code
  }

  mutating func part<Part: PayloadPart>() throws(PayloadError) -> Part {
    var inner = try nested()
    return try Part(payload: &inner)
  }
}
