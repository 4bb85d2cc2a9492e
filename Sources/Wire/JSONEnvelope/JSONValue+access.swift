extension JSONValue {
  public var isNull: Bool { self == .null }

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// A whole number, also when it is written as `3.0`; nil beyond `Int`.
  public var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .double(let value): value.wholeNumber
    default: nil
    }
  }

  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .digits(let digits): Double(digits)
    case .double(let value): value
    default: nil
    }
  }

  /// A whole number, or a string that holds one in decimal digits: clients send either.
  public var lenientInteger: Int? {
    if let string { return Int(string) }
    return integer
  }

  /// A string, or a number or a boolean as the text a form would hold.
  public var lenientString: String? {
    switch self {
    case .string(let value): value
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .digits(let digits): digits
    case .double(let value): String(value)
    default: nil
    }
  }

  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// A member of an object; nil if this is no object or has no such member.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// An element of an array; nil if this is no array or is shorter.
  public subscript(index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  public init(dictionaryLiteral members: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    self = .object(object)
  }
}
