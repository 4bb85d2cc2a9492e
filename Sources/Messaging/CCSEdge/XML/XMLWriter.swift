/// Writes the few kinds of XML that go out, with everything escaped that needs to be.
struct XMLWriter {
  private(set) var bytes: [UInt8] = []

  /// Markup of our own making.
  mutating func markup(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// ` name='value'`; nothing without a value.
  mutating func attribute(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    markup(" ")
    markup(name)
    markup("='")
    escape(value.utf8, inAttribute: true)
    markup("'")
  }

  mutating func text(_ text: some Sequence<UInt8>) { escape(text, inAttribute: false) }

  /// JSON as character data. XML has no way to write U+FFFE and U+FFFF, but JSON has: they can only be in a string.
  mutating func json(_ json: [UInt8]) {
    var start = 0
    for index in json.indices.dropLast(2)
    where json[index] == 0xEF && json[index + 1] == 0xBF && json[index + 2] >= 0xBE {
      text(json[start..<index])
      markup(json[index + 2] == 0xBE ? "\\ufffe" : "\\uffff")
      start = index + 3
    }
    text(json[start...])
  }

  private mutating func escape(_ text: some Sequence<UInt8>, inAttribute: Bool) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): markup("&amp;")
      case UInt8(ascii: "<"): markup("&lt;")
      case UInt8(ascii: ">"): markup("&gt;")
      case UInt8(ascii: "'") where inAttribute: markup("&apos;")
      case UInt8(ascii: "\"") where inAttribute: markup("&quot;")
      case UInt8(ascii: "\n") where inAttribute: markup("&#10;")
      case UInt8(ascii: "\t") where inAttribute: markup("&#9;")
      case UInt8(ascii: "\r"): markup("&#13;")
      default: bytes.append(byte)
      }
    }
  }
}
