extension RequestParameters {
  /// Adds the parts of a `multipart/form-data` body. Strict: what does not follow the grammar is refused.
  ///
  /// Spec: RFC 7578, RFC 2046 section 5.1. Every part must be a text in UTF-8, whether it is called a file or not.
  mutating func addMultipart(_ body: [UInt8], boundary: String) throws(ParameterFailure) {
    guard (1...70).contains(boundary.utf8.count) else {
      throw .malformedMultipart("the boundary is missing or too long")
    }
    let delimiter = Array("--\(boundary)".utf8)
    var rest = body[...]
    if rest.starts(with: Self.lineBreak) { rest = rest.dropFirst(2) }
    guard rest.starts(with: delimiter) else { throw .malformedMultipart("the body does not begin with the boundary") }
    rest = rest.dropFirst(delimiter.count)
    let innerDelimiter = Self.lineBreak + delimiter
    while true {
      if rest.starts(with: Self.closing) { return }  // what follows the last boundary means nothing
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.starts(with: Self.lineBreak) else { throw .malformedMultipart("a boundary's line does not end") }
      rest = rest.dropFirst(2)
      let name = try Self.readPartHeader(&rest)
      guard let end = Self.firstRange(of: innerDelimiter, in: rest) else {
        throw .malformedMultipart("the last boundary is missing")
      }
      guard let value = String(validating: rest[..<end.lowerBound], as: UTF8.self) else {
        throw .invalidText(field: name)
      }
      try set(name, value)
      rest = rest[end.upperBound...]
    }
  }

  private static let lineBreak: [UInt8] = [0x0D, 0x0A]
  private static let closing: [UInt8] = [0x2D, 0x2D]
  /// Bytes of one part's header fields.
  private static let partHeaderBytesMaximum = 4_096

  /// Reads the header fields of a part and their blank line; returns the part's name.
  private static func readPartHeader(_ rest: inout ArraySlice<UInt8>) throws(ParameterFailure) -> String {
    let start = rest.startIndex
    var name: String?
    while true {
      guard let end = firstRange(of: lineBreak, in: rest.prefix(partHeaderBytesMaximum)),
        end.upperBound - start <= partHeaderBytesMaximum
      else { throw .malformedMultipart("the header of a part does not end, or is too long") }
      let line = rest[..<end.lowerBound]
      rest = rest[end.upperBound...]
      if line.isEmpty { break }
      guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":") else {
        throw .malformedMultipart("a header line of a part is not one")
      }
      guard text[..<colon].lowercased() == "content-disposition" else { continue }
      let pieces = MediaType.split(text[text.index(after: colon)...])
      guard pieces[0].lowercased() == "form-data" else { throw .malformedMultipart("a part is not form data") }
      for piece in pieces.dropFirst() where piece.lowercased().hasPrefix("name=") {
        name = fieldName(piece.dropFirst("name=".count))
      }
    }
    guard let name, !name.isEmpty else { throw .malformedMultipart("a part has no name") }
    return name
  }

  /// Browsers write a quotation mark and the two characters of a line break in a name as `%22`, `%0D`, `%0A`.
  private static func fieldName(_ value: some StringProtocol) -> String {
    var text: [UInt8] = []
    var bytes = Array(MediaType.unquoted(value).utf8)[...]
    while let byte = bytes.popFirst() {
      switch (byte, String(decoding: bytes.prefix(2), as: UTF8.self).uppercased()) {
      case (UInt8(ascii: "%"), "22"): text.append(UInt8(ascii: "\""))
      case (UInt8(ascii: "%"), "0D"): text.append(0x0D)
      case (UInt8(ascii: "%"), "0A"): text.append(0x0A)
      default:
        text.append(byte)
        continue
      }
      bytes = bytes.dropFirst(2)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func firstRange(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let first = pattern.first else { return nil }
    var index = bytes.startIndex
    while bytes.endIndex - index >= pattern.count {
      guard let candidate = bytes[index...].firstIndex(of: first), bytes.endIndex - candidate >= pattern.count else {
        return nil
      }
      if bytes[candidate..<(candidate + pattern.count)].elementsEqual(pattern) {
        return candidate..<(candidate + pattern.count)
      }
      index = candidate + 1
    }
    return nil
  }
}
