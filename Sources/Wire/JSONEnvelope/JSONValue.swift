/// Any JSON value, decoded.
///
/// For what the domain looks into; what it only hands on stays bytes (see ``JSONScanner/rawValue()``).
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A whole number beyond `Int64`: every digit, as it was written.
  case digits(String)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  public init(parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    var scanner = try JSONScanner(bytes, limits: limits)
    self = try scanner.value()
    try scanner.end()
  }

  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    // A typed error does not pass through the closure's rethrows, so it travels as a result.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(JSONError) -> JSONValue in try JSONValue(parsing: buffer, limits: limits) }
    }
    self = try result.get()
  }

  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// The JSON text of this value, without blanks.
  public var text: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }
}

extension JSONScanner {
  /// Reads the next value whatever it is. Recursion ends at the depth limit.
  public mutating func value() throws(JSONError) -> JSONValue {
    switch try peekKind() {
    case .null:
      try skipValue()
      return .null
    case .bool: return .bool(try bool())
    case .string: return .string(try string())
    case .number:
      switch try number() {
      case .integer(let value): return .integer(value)
      case .digits(let digits): return .digits(digits)
      case .double(let value): return .double(value)
      }
    case .array:
      var elements: [JSONValue] = []
      try beginArray()
      while try nextElement() { elements.append(try value()) }
      return .array(elements)
    case .object:
      var object = JSONObject()
      try beginObject()
      while let key = try nextKey() { object[key.text] = try value() }
      return .object(object)
    }
  }
}
