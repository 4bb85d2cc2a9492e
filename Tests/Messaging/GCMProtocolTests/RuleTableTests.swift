import Foundation
import Testing

@Suite("The table of messaging's rules")
struct RuleTableTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("has each rule once, and names only tests that there are")
  func table() throws {
    let table = try String(contentsOf: Self.tests.appending(path: "MESSAGING-RULES.md"), encoding: .utf8)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| S") }
    let rules = rows.compactMap { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) }
    #expect(Set((1...70).map { "S\($0)" }).isSubset(of: rules) && Set(rules).count == rules.count)
    for row in rows {
      for match in row.matches(of: /`([A-Za-z0-9\/]+\.swift)` "(.*?)"(?=,? `|; `| \|)/) {
        let file = Self.tests.appending(path: String(match.output.1))
        let source = try String(contentsOf: file, encoding: .utf8)
        #expect(source.contains("\"\(match.output.2)\""), "\(match.output.1): \(match.output.2)")
      }
    }
  }
}
