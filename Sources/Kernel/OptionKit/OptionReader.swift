/// Where values of options are found: sections in an order, a request before them, a push with its provider.
package protocol OptionReader: Sendable {
  /// What is written for an option of this name; nil if nothing is.
  func text(of name: String) -> String?
}

extension OptionReader {
  /// The value of an option, or the built-in one. What cannot be read counts as not set: the configuration has been
  /// checked at start, so this concerns values that a request brought.
  @inlinable
  package subscript<Value>(_ key: OptionKey<Value>) -> Value { ifSet(key) ?? key.builtIn }

  /// The value that somebody has set.
  @inlinable
  package func ifSet<Value>(_ key: OptionKey<Value>) -> Value? { key.written(text(of: key.name)) }
}

/// The options of one section.
package struct SectionReader: OptionReader {
  private let texts: [String: String]

  package init(_ texts: [String: String]?) { self.texts = texts ?? [:] }

  package func text(of name: String) -> String? { texts[name] }
}
