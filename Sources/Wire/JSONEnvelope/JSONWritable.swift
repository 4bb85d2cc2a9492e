/// What can stand in JSON text as one value.
public protocol JSONWritable {
  /// Writes exactly one value.
  func write(into writer: inout JSONWriter)
}

extension String: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) { writer.string(self) }
}

extension StaticString: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) { writer.bool(self) }
}

/// JSON has no infinity and no NaN: both become null.
extension Double: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) { writer.double(self) }
}

// `UInt8` is left out, so that bytes, which may be JSON text already, are never taken for an array of numbers.
extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt16: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension JSONWritable where Self: FixedWidthInteger {
  @inlinable
  public func write(into writer: inout JSONWriter) { writer.integer(self) }
}

/// Nothing is null.
extension Optional: JSONWritable where Wrapped: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) {
    if let self { self.write(into: &writer) } else { writer.null() }
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  @inlinable
  public func write(into writer: inout JSONWriter) {
    writer.array(self) { element, writer in element.write(into: &writer) }
  }
}

/// Recursion goes as deep as the value does; a parsed one is never deeper than ``JSONLimits/depthCeiling``.
extension JSONValue: JSONWritable {
  public func write(into writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .digits(let digits): writer.raw(Array(digits.utf8))
    case .double(let value): writer.double(value)
    case .string(let value): writer.string(value)
    case .array(let elements): writer.value(elements)
    case .object(let object): writer.object { $0.members(of: object) }
    }
  }
}
