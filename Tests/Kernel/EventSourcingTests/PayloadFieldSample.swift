import EventSourcing
import Testing

/// A field of each kind.
enum Field {
  static let text = PayloadField<String>(1)
  static let flag = PayloadField<Bool>(2)
  static let whole = PayloadField<Int>(3)
  static let signed = PayloadField<Int64>(4)
  static let unsigned = PayloadField<UInt64>(5)
  static let time = PayloadField<Timestamp>(6)
  static let data = PayloadField<[UInt8]>(7)
  static let count = PayloadField<Count>(8)
  static let ordinal = PayloadField<Ordinal>(9)
  static let color = PayloadField<Color>(10)
  static let word = PayloadField<Word>(11)
  static let part = PayloadField<Part>(12)
  static let numbers = PayloadField<Packed<UInt64>>(13)
  static let ordinals = PayloadField<Packed<Ordinal>>(14)
  static let colors = PayloadField<Packed<Color>>(15)
  static let nested = PayloadField<Nested>(16)
  static let lastQuick = PayloadField<Int>(31)
  static let firstSlow = PayloadField<Int>(32)
  static let slow = PayloadField<String>(4_000)
}

enum Color: UInt8, PayloadCode {
  case red = 1
  case blue = 200
}

enum Word: String, CaseIterable, PayloadCode {
  case yes, no

  var code: UInt64 {
    switch self {
    case .yes: 300
    case .no: 1
    }
  }
}

struct Part: PayloadPart, Equatable {
  var name: String
  var inner: [Part] = []

  func encode(into writer: inout PayloadWriter) {
    writer.put(PayloadField<String>(1), name)
    writer.put(each: PayloadField<Part>(2), inner)
  }

  init(_ name: String, _ inner: [Part] = []) {
    self.name = name
    self.inner = inner
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(try read.required(PayloadField<String>(1)), try read.all(PayloadField<Part>(2)))
  }
}

/// Runs `body` with the fields of `bytes`.
func fields<Value>(
  _ bytes: [UInt8], _ body: (PayloadFields) throws(PayloadError) -> Value
) throws(PayloadError) -> Value {
  try reading(bytes) { (reader: inout PayloadReader) throws(PayloadError) in
    let read = try PayloadFields(&reader)
    #expect(try reader.next() == nil)
    return try body(read)
  }
}

/// What `body` throws on the fields of `bytes`.
func failure(_ bytes: [UInt8], _ body: (PayloadFields) throws -> Void) -> PayloadError? {
  do {
    try bytes.withUnsafeBytes { raw in
      var reader = PayloadReader(raw)
      try body(try PayloadFields(&reader))
    }
    return nil
  } catch {
    return error as? PayloadError
  }
}
