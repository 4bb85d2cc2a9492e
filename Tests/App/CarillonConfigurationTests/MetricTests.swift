import Engine
import Foundation
import Testing

@testable import CarillonConfiguration

@Suite("Metrics")
struct MetricTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  @Test("each has a label of its own and a sentence", arguments: Schema.metrics.map(\.label))
  func sentence(label: String) {
    let metrics = Schema.metrics.filter { $0.label == label }
    #expect(metrics.count == 1)
    #expect(metrics.allSatisfy { $0.help.hasSuffix(".") && $0.help.contains(" ") })
  }

  @Test(
    "one whose name ends in a unit, or that is a time of its own, says it in words",
    arguments: Schema.metrics.filter {
      $0.buckets != nil || $0.label.hasSuffix("seconds") || $0.label.hasSuffix("bytes")
    }
    .map(\.label))
  func unit(label: String) throws {
    let metric = try #require(Schema.metrics.first { $0.label == label })
    let unit = label.hasSuffix("bytes") ? "bytes" : "seconds"
    #expect(metric.help.lowercased().contains(unit), "\(metric.help)")
  }

  @Test("what the sources declare is shown, and nothing is counted that is not declared")
  func declared() throws {
    var declared: [String] = []
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      declared += text.matches(of: /MetricKey\(\s*"((?:carillon|process)[._][a-z0-9_.]+)"/).map { String($0.1) }
      #expect(!text.contains(/label: "carillon[._]/), "\(file.lastPathComponent) counts what is not declared")
    }
    #expect(declared.count > 50)
    #expect(declared.sorted() == Schema.metrics.map(\.label).sorted())
  }
}
