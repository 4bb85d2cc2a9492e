/// The parts of a `multipart/form-data` body. Strict: what does not follow the grammar is refused.
///
/// Spec: RFC 7578, RFC 2046 section 5.1.
package struct MultipartForm {
  package struct Part {
    package let name: String
    /// As the sender said it, without a path.
    package let fileName: String?
    package let contentType: String?
    package let content: ArraySlice<UInt8>

    /// The content, if it is in UTF-8.
    package var text: String? { String(validating: content, as: UTF8.self) }
  }

  package private(set) var parts: [Part] = []

  /// - Parameter countMaximum: of parts.
  package init(_ body: [UInt8], boundary: String, countMaximum: Int) throws(ParameterFailure) {
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
      let header = try PartHeader(&rest)
      guard let end = Self.firstRange(of: innerDelimiter, in: rest) else {
        throw .malformedMultipart("the last boundary is missing")
      }
      guard parts.count < countMaximum else { throw .tooManyParameters(limit: countMaximum) }
      parts.append(
        Part(
          name: header.name, fileName: header.fileName, contentType: header.contentType,
          content: rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
  }

  /// What the header fields of one part say.
  private struct PartHeader {
    /// Bytes of them.
    static let bytesMaximum = 4_096

    let name: String
    private(set) var fileName: String?
    private(set) var contentType: String?

    /// Reads them and their blank line.
    init(_ rest: inout ArraySlice<UInt8>) throws(ParameterFailure) {
      let start = rest.startIndex
      var name: String?
      while true {
        guard let end = firstRange(of: lineBreak, in: rest.prefix(Self.bytesMaximum)),
          end.upperBound - start <= Self.bytesMaximum
        else { throw .malformedMultipart("the header of a part does not end, or is too long") }
        let line = rest[..<end.lowerBound]
        rest = rest[end.upperBound...]
        if line.isEmpty { break }
        guard let text = String(validating: line, as: UTF8.self), let colon = text.firstIndex(of: ":") else {
          throw .malformedMultipart("a header line of a part is not one")
        }
        let value = text[text.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "content-disposition":
          let pieces = MediaType.split(value)
          guard pieces[0].lowercased() == "form-data" else { throw .malformedMultipart("a part is not form data") }
          for piece in pieces.dropFirst() {
            if let text = Self.field("name", of: piece) { name = text }
            if let text = Self.field("filename", of: piece) { fileName = Self.lastComponent(of: text) }
          }
        case "content-type": contentType = MediaType.split(value).first
        default: break
        }
      }
      guard let name, !name.isEmpty else { throw .malformedMultipart("a part has no name") }
      self.name = name
    }

    /// Browsers write a quotation mark and the two characters of a line break in a name as `%22`, `%0D`, `%0A`.
    private static func field(_ name: String, of piece: String) -> String? {
      guard piece.lowercased().hasPrefix(name + "=") else { return nil }
      var text: [UInt8] = []
      var bytes = Array(MediaType.unquoted(piece.dropFirst(name.count + 1)).utf8)[...]
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

    /// Spec: RFC 7578, 4.2: what may be a path is not to be trusted.
    private static func lastComponent(of name: String) -> String {
      String(name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "")
    }
  }

  private static let lineBreak: [UInt8] = [0x0D, 0x0A]
  private static let closing: [UInt8] = [0x2D, 0x2D]

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
