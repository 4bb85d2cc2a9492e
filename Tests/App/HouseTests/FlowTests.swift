import Foundation
import Testing

@Suite("What the page of the architecture follows")
struct FlowTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// By their names alone: a file may go to another module, and the way is the same.
  @Test("goes through files that there are, as many as it says")
  func files() throws {
    let places = Self.places(of: ["Sources", "Journal"])
    let page = try String(contentsOf: Self.root.appending(path: "Sources/ARCHITECTURE.md"), encoding: .utf8)
    let start = try #require(page.range(of: "| What | Turns | Files | Which |")).lowerBound
    let rows = page[start...].split(separator: "\n").dropFirst(2).prefix { $0.hasPrefix("|") }
    #expect(rows.count == 4)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 4)
      let files = cells[3].matches(of: /`([\w+]+)`/).map { String($0.output.1) }
      #expect(files.count == Int(cells[2]), "\(cells[0])")
      #expect(Set(files).count == files.count, "\(cells[0])")
      for file in files { #expect(places[file]?.count == 1, "\(cells[0]): \(file) is \(places[file] ?? [])") }
    }
  }

  /// Where files are, by their names without the ending.
  private static func places(of folders: [String]) -> [String: [String]] {
    let files = folders.flatMap { folder in
      FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)?.allObjects
        ?? []
    }
    let sources = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    return Dictionary(grouping: sources) { $0.deletingPathExtension().lastPathComponent }
      .mapValues { $0.map { $0.deletingLastPathComponent().lastPathComponent } }
  }
}
