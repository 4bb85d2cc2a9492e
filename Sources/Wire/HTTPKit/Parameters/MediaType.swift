/// What a `Content-Type` header says: the type in lower case, and its `boundary` if it has one.
package struct MediaType: Equatable {
  package let name: String
  package let boundary: String?

  /// Nil for a header without a type.
  package init?(_ header: String?) {
    guard let header else { return nil }
    let parts = Self.split(header)
    let name = parts[0].lowercased()
    guard !name.isEmpty else { return nil }
    self.name = name
    var boundary: String?
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "="), part[..<equals].lowercased() == "boundary" else { continue }
      boundary = Self.unquoted(part[part.index(after: equals)...])
    }
    self.boundary = boundary
  }

  package static let form = "application/x-www-form-urlencoded"
  package static let multipart = "multipart/form-data"

  /// Whether the body is said to be JSON.
  package var isJSON: Bool { name == "application/json" || name == "text/json" || name.hasSuffix("+json") }

  /// Splits at the semicolons that stand outside quotation marks; blanks around the pieces are dropped.
  package static func split(_ header: some StringProtocol) -> [String] {
    var pieces: [String] = []
    var piece: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    for byte in header.utf8 {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ";"), !isQuoted {
        pieces.append(trimmed(piece))
        piece = []
        continue
      }
      piece.append(byte)
    }
    pieces.append(trimmed(piece))
    return pieces
  }

  /// The text of a token or of a quoted string.
  package static func unquoted(_ value: some StringProtocol) -> String {
    let bytes = Array(value.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return String(value)
    }
    var text: [UInt8] = []
    var isEscaped = false
    for byte in bytes.dropFirst().dropLast() {
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        isEscaped = false
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let tail = bytes.drop(while: isBlank)
    guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(decoding: tail[...last], as: UTF8.self)
  }
}
