/// What a JSON value is, as its first byte tells.
public enum JSONKind: Sendable, Equatable {
  case object, array, string, number, bool, null
}

/// A pull parser over bytes that it does not own: reads, or skips and checks, one value after the other.
///
/// Strict RFC 8259. Skipped values are checked as thoroughly as those read, so a raw range can be sent on as it is.
/// After an error the scanner is of no further use. It must not outlive the buffer.
///
///     var scanner = JSONScanner(bytes)
///     try scanner.beginObject()
///     while let key = try scanner.nextKey() {
///       switch key {
///       case "name": name = try scanner.string()
///       default: try scanner.skipValue()
///       }
///     }
///     try scanner.end()
public struct JSONScanner {
  let bytes: UnsafeRawBufferPointer
  let limits: JSONLimits
  /// Bytes consumed so far.
  public internal(set) var position = 0
  /// Arrays and objects now open.
  public private(set) var depth = 0
  /// Nothing of the innermost open array or object has been read yet: neither a comma nor a member.
  private var isAtFirst = false

  /// - Throws: `tooLong`.
  public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    if bytes.count > limits.documentBytesMaximum {
      throw JSONError(.tooLong, at: limits.documentBytesMaximum)
    }
    self.bytes = bytes
    self.limits = limits
  }

  /// The kind of the next value; consumes only the blanks before it.
  public mutating func peekKind() throws(JSONError) -> JSONKind {
    switch try peek() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw JSONError(.unexpectedByte, at: position)
    }
  }

  // MARK: Arrays and objects

  public mutating func beginObject() throws(JSONError) { try open(UInt8(ascii: "{"), .object) }
  public mutating func beginArray() throws(JSONError) { try open(UInt8(ascii: "["), .array) }

  /// The next member's key, its colon consumed; nil at the end of the object, which is then closed.
  /// The value must be read or skipped before the next call.
  public mutating func nextKey() throws(JSONError) -> JSONKey? {
    guard try hasNext(closing: UInt8(ascii: "}")) else { return nil }
    if try peek() != UInt8(ascii: "\"") { throw JSONError(.unexpectedByte, at: position) }
    let key = try scanString()
    if try peek() != UInt8(ascii: ":") { throw JSONError(.unexpectedByte, at: position) }
    position += 1
    return JSONKey(content: key)
  }

  /// Whether another element follows; false at the end of the array, which is then closed.
  /// The element must be read or skipped before the next call.
  public mutating func nextElement() throws(JSONError) -> Bool {
    guard try hasNext(closing: UInt8(ascii: "]")) else { return false }
    if try peek() == UInt8(ascii: "]") { throw JSONError(.unexpectedByte, at: position) }
    return true
  }

  /// Checks that nothing but blanks is left.
  public mutating func end() throws(JSONError) {
    skipBlanks()
    if position < bytes.count { throw JSONError(.trailingBytes, at: position) }
  }

  private mutating func open(_ bracket: UInt8, _ kind: JSONKind) throws(JSONError) {
    if try peek() != bracket {
      _ = try peekKind()
      throw JSONError(.wrongKind, at: position)
    }
    if depth >= limits.depthMaximum { throw JSONError(.tooDeep, at: position) }
    position += 1
    depth += 1
    isAtFirst = true
  }

  private mutating func hasNext(closing bracket: UInt8) throws(JSONError) -> Bool {
    let byte = try peek()
    if byte == bracket {
      position += 1
      depth -= 1
      isAtFirst = false
      return false
    }
    if isAtFirst {
      isAtFirst = false
    } else if byte == UInt8(ascii: ",") {
      position += 1
    } else {
      throw JSONError(.unexpectedByte, at: position)
    }
    return true
  }

  // MARK: Bytes

  /// The next byte that is no blank; not consumed.
  @inline(__always)
  mutating func peek() throws(JSONError) -> UInt8 {
    // Most texts come without blanks.
    if position < bytes.count, bytes[position] > 0x20 { return bytes[position] }
    return try peekAfterBlanks()
  }

  @inline(never)
  private mutating func peekAfterBlanks() throws(JSONError) -> UInt8 {
    skipBlanks()
    if position >= bytes.count { throw JSONError(.unexpectedEnd, at: bytes.count) }
    return bytes[position]
  }

  mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }
}
