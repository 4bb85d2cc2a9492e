import EventSourcing

/// From when on tokens count: what was issued before is revoked. One line each, of which the last for a user holds;
/// `*` is every user. Empty lines and those that begin with `#` say nothing.
///
/// ```
/// 2026-03-01T09:15:00Z  *
/// 2026-03-04T17:00:00Z  user-0815
/// ```
package struct RevocationList: Sendable, Equatable {
  private var forAll: Timestamp?
  private var byUser: [String: Timestamp] = [:]

  package init() {}

  /// - Throws: which line cannot be read.
  package init(parsing text: String) throws(KeyReader.Problem) {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      guard index < EdgeLimits.revocationsMaximum else { throw KeyReader.Problem("it has too many lines") }
      let line = Self.trimmed(line)
      guard !line.isEmpty, line.first != "#" else { continue }
      let end = line.firstIndex { $0 == " " || $0 == "\t" } ?? line.endIndex
      let user = Self.trimmed(line[end...])
      guard let time = Timestamp(iso8601: line[..<end]), !user.isEmpty else {
        throw KeyReader.Problem("line \(index + 1) is not a time such as 2026-03-01T09:15:00Z and a user key, or *")
      }
      if user == "*" { forAll = time } else { byUser[String(user)] = time }
    }
  }

  package var count: Int { byUser.count + (forAll == nil ? 0 : 1) }

  package func revokes(_ user: ProvenUser) -> Bool {
    [forAll, byUser[user.key]].contains { time in
      guard let time else { return false }
      return user.issuedAt.map { $0 < time } ?? true
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
