import Foundation
import Testing

@Suite("The page of Bayeux's conformance")
struct ConformanceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The cells of each row that says whether something stands.
  private static func rows() throws -> [(stands: String, by: String)] {
    let page = try String(contentsOf: root.appending(path: "Sources/Comet/CONFORMANCE.md"), encoding: .utf8)
    return page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count >= 3, let by = cells.last else { return nil }
      let stands = cells[cells.count - 2]
      return stands == "yes" || stands == "no" ? (stands, by) : nil
    }
  }

  /// What tests are called.
  private static func tests() throws -> Set<String> {
    var names: Set<String> = []
    let files = FileManager.default.enumerator(at: root.appending(path: "Tests"), includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      names.formUnion(text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/).map { String($0.1) })
    }
    return names
  }

  @Test("names a test that there is for each rule that stands, and a reason for each that does not")
  func names() throws {
    let (rows, tests) = (try Self.rows(), try Self.tests())
    #expect(rows.count > 50)
    #expect(tests.count > 1_000)
    for row in rows {
      let named = row.by.matches(of: /“([^”]*)”/).map { String($0.1) }
      #expect(named.isEmpty == (row.stands == "no"), "\(row.by)")
      #expect(!row.by.isEmpty)
      for name in named { #expect(tests.contains(name), "no test is called “\(name)”") }
    }
  }
}
