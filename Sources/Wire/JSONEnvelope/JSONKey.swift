/// The content of a JSON string where it lies in the text: checked, not yet decoded.
public struct JSONKey {
  /// Between the quotation marks, escapes as they came.
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline let hasEscapes: Bool

  init(content: JSONScanner.StringContent) {
    self.bytes = content.bytes
    self.hasEscapes = content.hasEscapes
  }

  /// The decoded text.
  public var text: String { JSONScanner.decode(bytes, hasEscapes: hasEscapes) }

  /// Lets a key stand in a `switch` over names, without making a `String` of it.
  @inlinable @inline(__always)
  public static func ~= (name: StaticString, key: JSONKey) -> Bool {
    let count = name.utf8CodeUnitCount
    guard key.bytes.count == count || key.hasEscapes else { return false }
    if key.hasEscapes { return ExactText(key.text) == ExactText(name.description) }
    let wanted = name.utf8Start
    var index = 0
    while index < count {
      if key.bytes[index] != wanted[index] { return false }
      index += 1
    }
    return true
  }
}
