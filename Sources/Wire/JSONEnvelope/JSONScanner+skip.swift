extension JSONScanner {
  /// Consumes the next value whatever it is, checking all of it.
  public mutating func skipValue() throws(JSONError) {
    // One bit for each open level, the innermost lowest: an object or an array. `depthCeiling` is the word's width.
    var objects: UInt64 = 0
    var level = 0
    while true {
      // Here a value begins.
      switch try peek() {
      case UInt8(ascii: "\""):
        _ = try scanString()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        _ = try scanNumber()
      case UInt8(ascii: "{"):
        try enter(&level)
        objects = objects << 1 | 1
        if try peek() != UInt8(ascii: "}") {
          try skipKey()
          continue
        }
      case UInt8(ascii: "["):
        try enter(&level)
        objects <<= 1
        if try peek() != UInt8(ascii: "]") { continue }
      case UInt8(ascii: "t"): try skip("true")
      case UInt8(ascii: "f"): try skip("false")
      case UInt8(ascii: "n"): try skip("null")
      default: throw JSONError(.unexpectedByte, at: position)
      }
      // Here a value has ended, or an empty array or object is about to.
      var isDone = true
      while level > 0, isDone {
        let isObject = objects & 1 == 1
        let byte = try peek()
        if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          position += 1
          objects >>= 1
          level -= 1
        } else if byte == UInt8(ascii: ",") {
          position += 1
          if isObject { try skipKey() }
          isDone = false
        } else {
          throw JSONError(.unexpectedByte, at: position)
        }
      }
      if isDone { return }
    }
  }

  /// Consumes the next value like ``skipValue()``; where it lies, without blanks around it.
  public mutating func rawRange() throws(JSONError) -> Range<Int> {
    skipBlanks()
    let start = position
    try skipValue()
    return start..<position
  }

  /// Consumes the next value like ``skipValue()``; a copy of its text.
  public mutating func rawValue() throws(JSONError) -> [UInt8] {
    let range = try rawRange()
    return [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// A copy of text that this scanner has passed.
  public func text(in range: Range<Int>) -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  private mutating func enter(_ level: inout Int) throws(JSONError) {
    if depth + level >= limits.depthMaximum { throw JSONError(.tooDeep, at: position) }
    level += 1
    position += 1
  }

  private mutating func skipKey() throws(JSONError) {
    if try peek() != UInt8(ascii: "\"") { throw JSONError(.unexpectedByte, at: position) }
    _ = try scanString()
    if try peek() != UInt8(ascii: ":") { throw JSONError(.unexpectedByte, at: position) }
    position += 1
  }

  private mutating func skip(_ literal: StaticString) throws(JSONError) {
    for index in 0..<literal.utf8CodeUnitCount {
      if position >= bytes.count { throw JSONError(.unexpectedEnd, at: bytes.count) }
      if bytes[position] != literal.utf8Start[index] { throw JSONError(.unexpectedByte, at: position) }
      position += 1
    }
  }
}
