/// Which processors the server has, and which the load generator: apart, so that neither takes from the other.
package struct CorePlan: Sendable, Equatable {
  /// The kernel's numbers, ascending.
  package let server: [Int]
  package let generator: [Int]

  /// As many as a processor set of the kernel has room for.
  private static let numbers = 0..<1_024

  /// - Parameter text: both sides, such as `0:1` or `0-1:2,3`; nil if it is something else, or if they share one.
  package init?(_ text: String) {
    let sides = text.split(separator: ":", omittingEmptySubsequences: false).map(Self.processors)
    guard sides.count == 2, let server = sides[0], let generator = sides[1],
      Set(server).isDisjoint(with: generator)
    else { return nil }
    (self.server, self.generator) = (server, generator)
  }

  private static func processors(_ text: Substring) -> [Int]? {
    var processors: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last,
        numbers.contains(first), numbers.contains(last)
      else { return nil }
      processors.formUnion(first...last)
    }
    return processors.sorted()
  }

  /// Such as `processor 0` or `processors 0, 1`.
  static func text(_ processors: [Int]) -> String {
    "processor\(processors.count == 1 ? "" : "s") \(processors.map(String.init).joined(separator: ", "))"
  }
}
