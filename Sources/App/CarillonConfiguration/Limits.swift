/// The bounds of what an operator may hand in.
enum Limits {
  /// A configuration file beyond this many bytes is refused unread.
  static let fileBytesMaximum = 4 * 1_048_576
  static let sectionsMaximum = 10_000
  static let valueBytesMaximum = 65_536
  /// A value is quoted in a problem up to this many characters.
  static let quotedCharactersMaximum = 60
  /// Problems reported at once; the rest is counted.
  static let problemsMaximum = 200
  /// Edits between a wrong name and the one proposed for it.
  static let suggestionDistanceMaximum = 3
}
