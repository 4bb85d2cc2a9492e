/// A JSON number: whole if it is written so, else the nearest double.
public enum JSONNumber: Sendable, Equatable {
  case integer(Int64)
  /// A whole number that is more than an `Int64` holds: its digits, as they came.
  case digits(String)
  case double(Double)
}

extension JSONScanner {
  /// Reads a number. - Throws: `wrongKind` if the next value is none; `numberOutOfRange` beyond what a double can hold.
  public mutating func number() throws(JSONError) -> JSONNumber {
    if try peekKind() != .number { throw JSONError(.wrongKind, at: position) }
    let start = position
    let isWhole = try scanNumber()
    if isWhole, let integer = Self.integer(bytes[start..<position]) { return .integer(integer) }
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    guard let double = Double(text), double.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
    return isWhole ? .digits(text) : .double(double)
  }

  /// Reads a whole number (`3`, also `3.0` and `3e0`); skips any other value and returns nil.
  public mutating func integerIfAny() throws(JSONError) -> Int? {
    guard try peekKind() == .number else {
      try skipValue()
      return nil
    }
    switch try number() {
    case .integer(let value): return Int(exactly: value)
    case .digits: return nil
    case .double(let value): return value.wholeNumber
    }
  }

  /// Reads true or false; skips any other value and returns nil.
  public mutating func boolIfAny() throws(JSONError) -> Bool? {
    let isTrue = try peek() == UInt8(ascii: "t")
    let isBool = try peekKind() == .bool
    try skipValue()
    return isBool ? isTrue : nil
  }

  /// Reads true or false. - Throws: `wrongKind` if the next value is neither.
  public mutating func bool() throws(JSONError) -> Bool {
    if try peekKind() != .bool { throw JSONError(.wrongKind, at: position) }
    return try boolIfAny() == true
  }

  /// Consumes and checks a number; whether it has neither fraction nor exponent.
  /// Looks at no more bytes than a number may have, so that an endless one costs nothing.
  mutating func scanNumber() throws(JSONError) -> Bool {
    let start = position
    var index = start
    let end = min(bytes.count, start + limits.numberBytesMaximum)
    var isWhole = true

    func digits() throws(JSONError) {
      let first = index
      while index < end, Self.isDigit(bytes[index]) { index += 1 }
      if index == first {
        if index >= bytes.count { throw JSONError(.unexpectedEnd, at: bytes.count) }
        throw JSONError(index == end ? .numberTooLong : .invalidNumber, at: index == end ? start : index)
      }
    }

    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    if index < end, bytes[index] == UInt8(ascii: "0") {
      index += 1
      if index < end, Self.isDigit(bytes[index]) { throw JSONError(.invalidNumber, at: index) }
    } else {
      try digits()
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      isWhole = false
      index += 1
      try digits()
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      index += 1
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    if index == end, end < bytes.count, Self.continuesNumber(bytes[index]) {
      throw JSONError(.numberTooLong, at: start)
    }
    position = index
    return isWhole
  }

  private static func integer(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
    var value: Int64 = 0
    let isNegative = digits.first == UInt8(ascii: "-")
    for byte in isNegative ? digits.dropFirst() : digits {
      let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
      // Summed up below zero, because the least Int64 has no positive twin.
      let (sum, overflowsToo) = shifted.subtractingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if overflows || overflowsToo { return nil }
      value = sum
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private static func continuesNumber(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
  }
}

extension Double {
  /// The integer this is, if it is one. `Int(exactly:)` would do, but brings calls into the C mathematics library that
  /// a program without any other use of it cannot link.
  var wholeNumber: Int? {
    guard self >= -0x1p63, self < 0x1p63 else { return nil }
    let integer = Int(self)
    return Double(integer) == self ? integer : nil
  }
}
