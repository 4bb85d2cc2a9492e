/// The tags of an `Accept-Language` header, the dearest first. What is no tag, or refused (`q=0`), is left out.
/// Spec: RFC 9110 12.4.2, 12.5.4.
struct AcceptedLanguages {
  /// More than anybody speaks.
  private static let countMaximum = 32

  let tags: [String]

  init(_ header: String) {
    let ranges = header.split(separator: ",").prefix(Self.countMaximum).compactMap { range -> (String, Double)? in
      let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard let tag = parts.first.flatMap({ TextTable.normalized($0) }) else { return nil }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      return weight > 0 ? (tag, weight) : nil
    }
    // The order of the header decides between equals: the sort must be stable.
    tags = ranges.enumerated().sorted { ($0.element.1, -$0.offset) > ($1.element.1, -$1.offset) }.map(\.element.0)
  }
}
