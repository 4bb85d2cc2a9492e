extension JSONScanner {
  /// Reads a string. - Throws: `wrongKind` if the next value is none.
  public mutating func string() throws(JSONError) -> String {
    if try peek() != UInt8(ascii: "\"") {
      _ = try peekKind()
      throw JSONError(.wrongKind, at: position)
    }
    let content = try scanString()
    return Self.decode(content.bytes, hasEscapes: content.hasEscapes)
  }

  /// Reads a string; skips any other value and returns nil.
  public mutating func stringIfAny() throws(JSONError) -> String? {
    if try peek() == UInt8(ascii: "\"") { return try string() }
    try skipValue()
    return nil
  }

  /// What stands between the quotation marks of a string that has been checked.
  struct StringContent {
    let bytes: UnsafeRawBufferPointer
    let hasEscapes: Bool
  }

  /// Consumes and checks a string; `position` must be at its opening quotation mark.
  mutating func scanString() throws(JSONError) -> StringContent {
    position += 1
    let start = position
    var hasEscapes = false
    while true {
      skipPlainASCII()
      if position >= bytes.count { throw JSONError(.unexpectedEnd, at: bytes.count) }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        let content = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        position += 1
        return StringContent(bytes: content, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0..<0x20:
        throw JSONError(.controlCharacter, at: position)
      case 0x80...:
        try skipUTF8Sequence()
      default:
        position += 1
      }
    }
  }

  /// Goes on to the next quotation mark, backslash, control character or byte that is no ASCII, eight bytes at a time;
  /// may stop earlier, near the end of the text.
  @inline(__always)
  private mutating func skipPlainASCII() {
    var position = self.position
    while position &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let stops = JSONWordScan.stops(in: word) | (word & JSONWordScan.highBits)
      if stops != 0 {
        self.position = position &+ stops.trailingZeroBitCount / 8
        return
      }
      position &+= 8
    }
    self.position = position
  }

  private mutating func skipEscape() throws(JSONError) {
    let start = position
    guard start + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let unit = try hexadecimals(at: start + 2)
      position = start + 6
      if unit & 0xFC00 == 0xDC00 { throw JSONError(.loneSurrogate, at: start) }
      if unit & 0xFC00 == 0xD800 {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        if try hexadecimals(at: position + 2) & 0xFC00 != 0xDC00 { throw JSONError(.loneSurrogate, at: start) }
        position += 6
      }
    default:
      throw JSONError(.invalidEscape, at: start)
    }
  }

  private func hexadecimals(at start: Int) throws(JSONError) -> UInt32 {
    if start + 4 > bytes.count { throw JSONError(.unexpectedEnd, at: bytes.count) }
    var unit: UInt32 = 0
    for index in start..<start + 4 {
      guard let digit = Self.hexadecimal(bytes[index]) else { throw JSONError(.invalidEscape, at: index) }
      unit = unit << 4 | digit
    }
    return unit
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): return UInt32(byte - UInt8(ascii: "A") + 10)
    default: return nil
    }
  }

  /// Checks one character of two to four bytes: no overlong form, no surrogate, nothing above U+10FFFF.
  private mutating func skipUTF8Sequence() throws(JSONError) {
    let first = bytes[position]
    let length: Int
    let second: ClosedRange<UInt8>
    switch first {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw JSONError(.invalidUTF8, at: position)
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
      throw JSONError(.invalidUTF8, at: position)
    }
    for index in position + 2..<position + length where bytes[index] & 0xC0 != 0x80 {
      throw JSONError(.invalidUTF8, at: position)
    }
    position += length
  }

  /// Decodes the content of a string that ``scanString()`` has checked; nothing in it can be wrong any more.
  static func decode(_ bytes: UnsafeRawBufferPointer, hasEscapes: Bool) -> String {
    guard hasEscapes else { return String(decoding: bytes, as: UTF8.self) }
    // No escape is shorter than what it stands for, so the raw length is enough.
    return String(unsafeUninitializedCapacity: bytes.count) { output in
      var written = 0
      var index = 0
      func put(_ byte: UInt8) {
        output[written] = byte
        written += 1
      }
      func unit(at start: Int) -> UInt32 {
        (start..<start + 4).reduce(0) { $0 << 4 | (hexadecimal(bytes[$1]) ?? 0) }
      }
      while index < bytes.count {
        let byte = bytes[index]
        guard byte == UInt8(ascii: "\\") else {
          put(byte)
          index += 1
          continue
        }
        let escape = bytes[index + 1]
        index += 2
        switch escape {
        case UInt8(ascii: "b"): put(0x08)
        case UInt8(ascii: "f"): put(0x0C)
        case UInt8(ascii: "n"): put(0x0A)
        case UInt8(ascii: "r"): put(0x0D)
        case UInt8(ascii: "t"): put(0x09)
        case UInt8(ascii: "u"):
          var scalar = unit(at: index)
          index += 4
          if scalar & 0xFC00 == 0xD800 {
            scalar = 0x10000 + (scalar & 0x3FF) << 10 + (unit(at: index + 2) & 0x3FF)
            index += 6
          }
          if let scalar = Unicode.Scalar(scalar) { scalar.utf8.forEach(put) }
        default: put(escape)
        }
      }
      return written
    }
  }
}
