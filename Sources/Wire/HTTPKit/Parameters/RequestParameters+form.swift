import TextEncoding

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
        guard index < raw.endIndex, let high = Hexadecimal.value(of: raw[index]) else { return nil }
        raw.formIndex(after: &index)
        guard index < raw.endIndex, let low = Hexadecimal.value(of: raw[index]) else { return nil }
        raw.formIndex(after: &index)
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
