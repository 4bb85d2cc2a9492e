package import EdgeSecurity
import HTTPTypes

/// Which requests cost a stranger something, as the operations say it themselves; read by the head alone, so that
/// nothing of what is refused has to be taken in first.
package struct BudgetTable: Sendable {
  /// A path of the table; nil stands for any part.
  private struct Pattern {
    let parts: [String?]
    let action: BudgetedAction

    func matches(_ path: [some StringProtocol]) -> Bool {
      for (part, given) in zip(parts, path) where part.map({ $0 != given }) ?? false { return false }
      return true
    }

    /// Whether it goes before another of as many parts, as the router has it: by the first part that only one of them
    /// names.
    func isNarrower(than other: Pattern) -> Bool {
      for (own, others) in zip(parts, other.parts) where (own == nil) != (others == nil) { return own != nil }
      return false
    }
  }

  /// By method and number of parts, narrower ones first.
  private var patterns: [String: [[Pattern]]] = [:]
  private var partsMaximum = 0

  package init(_ operations: [APIOperation]) {
    for operation in operations {
      guard let action = operation.budget else { continue }
      let parts = operation.path.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
      partsMaximum = max(partsMaximum, parts.count)
      var rows = patterns[operation.method.rawValue] ?? []
      while rows.count <= parts.count { rows.append([]) }
      let pattern = Pattern(parts: parts, action: action)
      rows[parts.count].insert(
        pattern, at: rows[parts.count].firstIndex { pattern.isNarrower(than: $0) } ?? rows[parts.count].endIndex)
      patterns[operation.method.rawValue] = rows
    }
  }

  /// Nil for what costs nothing.
  ///
  /// - Parameters:
  ///   - path: without a query string and a format at its end. Empty parts do not count, as they do not for the router.
  package func action(_ method: String, _ path: some StringProtocol) -> BudgetedAction? {
    // To answer HEAD costs as much as GET.
    guard let rows = patterns[method == "HEAD" ? "GET" : method] else { return nil }
    // Longer paths than any that is in the table are told apart no further.
    let parts = path.split(separator: "/", maxSplits: partsMaximum)
    guard parts.count < rows.count else { return nil }
    return rows[parts.count].first { $0.matches(parts) }?.action
  }
}
