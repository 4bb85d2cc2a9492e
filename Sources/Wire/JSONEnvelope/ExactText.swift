/// A text that is equal to another one byte for byte, for tables of names that come from outside.
///
/// To Swift two `String`s are equal if they are canonically equivalent: `é` in one scalar and in two. On the wire these
/// are two names, and whoever mixes them up loses the value of one.
public struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral text: String) { self.init(text) }

  public static func == (left: ExactText, right: ExactText) -> Bool { left.text.isExactly(right.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No UTF-8 ends so: two texts in a row are not another two.
    hasher.combine(0xFF as UInt8)
  }
}

extension String {
  /// Whether both have the same bytes.
  func isExactly(_ other: String) -> Bool {
    // The first question is quick, and what it takes for different is.
    self == other && utf8.elementsEqual(other.utf8)
  }
}
