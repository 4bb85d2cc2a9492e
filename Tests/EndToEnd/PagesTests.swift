import Foundation
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  /// What a page prints, somebody pastes.
  @Suite("The commands of the pages", .timeLimit(.minutes(5)))
  struct PagesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()

    @Test(
      "run as they are printed",
      arguments: [
        "README.md", "Journal/EVIDENCE.md", "Journal/OPERATING.md", "Sources/Callback/CALLBACK.md",
        "Sources/Chat/CHAT.md", "Sources/Comet/COMET.md",
        "Sources/Wire/IDENTITY.md",
        "Sources/Messaging/MESSAGING.md", "Sources/Push/PUSH.md", "Sources/Support/SUPPORT.md",
      ])
    func run(_ page: String) async throws {
      let script = Self.root.appendingPathComponent("Tests/EndToEnd/Scripts/run_page.py").path
      let log = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-page-\(UUID().uuidString).log")
      defer { try? FileManager.default.removeItem(at: log) }
      let child = try ChildProcess.start(
        try #require(StandIn.python),
        [
          script, Self.root.appendingPathComponent(page).path, "--carillon", ServerProcess.executable, "--root",
          Self.root.path,
        ], log: log.path)
      let status: Int32
      do {
        status = try await child.status(within: .seconds(240))
      } catch {
        await child.end()
        throw error
      }
      let output = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      #expect(status == 0, "\(output.suffix(6_000))")
    }

    @Test("each block of a page says what it is")
    func languages() throws {
      for page in try Self.pages() {
        var isInside = false
        for (number, line) in try String(contentsOf: page, encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false
        ).enumerated() where line.hasPrefix("```") {
          isInside.toggle()
          let language = line.dropFirst(3).split(separator: " ").first
          #expect(!isInside || language != nil, "\(page.lastPathComponent):\(number + 1): sh, text, yaml, …?")
        }
      }
    }

    private static func pages() throws -> [URL] {
      let folders = ["", "Benchmarks", "Journal", "Sources", "Tests"].map { root.appendingPathComponent($0) }
      return try folders.flatMap {
        try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
      }
      .filter { $0.pathExtension == "md" }
    }
  }
}
