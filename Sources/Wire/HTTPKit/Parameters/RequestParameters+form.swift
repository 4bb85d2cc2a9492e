extension RequestParameters {
  /// Adds the pairs of an `application/x-www-form-urlencoded` text or of a query string.
  ///
  /// Spec: GMS 2.3, HTML form rules: `+` is a blank, `%` and two hexadecimal digits are a byte of UTF-8.
  package mutating func addForm(_ form: some Collection<UInt8>) throws(ParameterFailure) {
    for pair in form.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let rawName = pair[..<equals]
      guard let name = Self.decodeText(rawName) else {
        throw .invalidText(field: String(decoding: rawName.prefix(64), as: UTF8.self))
      }
      guard !name.isEmpty else { continue }
      let rawValue = equals == pair.endIndex ? pair[equals...] : pair[pair.index(after: equals)...]
      guard let value = Self.decodeText(rawValue) else { throw .invalidText(field: name) }
      try set(name, value)
    }
  }

  /// Nil for a `%` without two hexadecimal digits, and for bytes that are not UTF-8.
  package static func decodeText(_ raw: some Collection<UInt8>) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var index = raw.startIndex
    while index < raw.endIndex {
      let byte = raw[index]
      raw.formIndex(after: &index)
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index < raw.endIndex, let high = hexadecimalDigit(raw[index]) else { return nil }
        raw.formIndex(after: &index)
        guard index < raw.endIndex, let low = hexadecimalDigit(raw[index]) else { return nil }
        raw.formIndex(after: &index)
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
