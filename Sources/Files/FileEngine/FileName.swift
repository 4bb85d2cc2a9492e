import ChatDomain

/// What files are called, as it is safe to show and to save.
package enum FileName {
  /// For what nothing is left of.
  static let fallback = "file"

  /// Without folders, control characters and what turns the direction of writing: `..\..\x` is `x`, and no name looks as
  /// if it had another ending than it has. What means something in a page stays: whoever shows it shows text.
  /// - Throws: `.invalid` for one that is longer than file systems take.
  package static func cleaned(_ text: String) throws(FileFailure) -> String {
    guard text.utf8.count <= ChatLimits.fileNameBytesMaximum else {
      throw .invalid(field: "name", reason: "is longer than \(ChatLimits.fileNameBytesMaximum) bytes")
    }
    let scalars = text.unicodeScalars
    // Not by characters: one may begin with a separator and go on with a combining mark.
    let start = scalars.lastIndex { $0 == "/" || $0 == "\\" }.map(scalars.index(after:)) ?? scalars.startIndex
    var name = String.UnicodeScalarView()
    name.append(contentsOf: scalars[start...].filter { !isHidden($0) })
    while let first = name.first, first.properties.isWhitespace { name.removeFirst() }
    // Some systems drop them silently, so that the name would be another one's.
    while let last = name.last, last.properties.isWhitespace || last == "." { name.removeLast() }
    return name.isEmpty ? fallback : String(name)
  }

  /// It is not seen itself, and changes how others are. Joiners and variation selectors stay: scripts and emoji need them.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isBidiControl || invisible.contains(scalar)
    }
  }

  /// Soft hyphen, spaces and signs without width, byte order mark, annotations.
  private static let invisible: Set<Unicode.Scalar> = [
    "\u{AD}", "\u{180E}", "\u{200B}", "\u{2060}", "\u{2061}", "\u{2062}", "\u{2063}", "\u{2064}", "\u{FEFF}",
    "\u{FFF9}", "\u{FFFA}", "\u{FFFB}",
  ]
}
