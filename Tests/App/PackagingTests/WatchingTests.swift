import CarillonConfiguration
import EngineKit
import Foundation
import Testing

@Suite("What the packages bring to watch the server with")
struct WatchingTests {
  private static let packaging = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/App/Packaging")

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: packaging.appending(path: path), encoding: .utf8)
  }

  /// Under which names a metric's samples are shown, of whatever kind it is.
  private static let shown: Set<String> = {
    let suffixes = ["", "_total", "_seconds"].flatMap { unit in
      ["", "_bucket", "_sum", "_count"].map { unit + $0 }
    }
    return Set(
      Schema.metrics.flatMap { metric in
        suffixes.map { metric.label.replacing(".", with: "_") + $0 }
      })
  }()

  /// What is no metric of the server's catalogue: the registry's own count.
  private static let others: Set<String> = ["metrics_series_rejected_total"]

  private static func names(in text: String) -> Set<String> {
    Set(text.matches(of: /\b(?:carillon|process|metrics)_[a-z0-9_]+/).map { String($0.0) })
  }

  private static func alerts() throws -> [String] {
    try text("prometheus/carillon.rules.yaml").matches(of: /- alert: (\w+)/).map { String($0.1) }
  }

  @Test(
    "board and rules speak of metrics that there are",
    arguments: ["grafana/carillon.json", "prometheus/carillon.rules.yaml"])
  func metrics(path: String) throws {
    let named = Self.names(in: try Self.text(path))
    #expect(named.count > 15)
    #expect(named.subtracting(Self.shown).subtracting(Self.others).isEmpty)
  }

  @Test("each alert has a line that says what to do, and no line is about another")
  func runbook() throws {
    let page = try Self.text("WATCHING.md")
    let lines = page.matches(of: /(?m)^### (Carillon\w+)\n\n(.+)$/)
    #expect(lines.map { String($0.1) } == (try Self.alerts()))
    for line in lines { #expect(line.2.count > 40, "\(line.1)") }
    let links = try Self.text("prometheus/carillon.rules.yaml").matches(of: /runbook: "WATCHING\.md#(\w+)"/)
    #expect(links.map { String($0.1) } == (try Self.alerts()).map { $0.lowercased() })
  }

  @Test("each alert is tried: once where it keeps silent, once where it fires")
  func tried() throws {
    let tests = try Self.text("prometheus/carillon.rules.test.yaml")
    for alert in try Self.alerts() {
      #expect(
        tests.contains(try Regex("alertname=\"\(alert)\"[^\\n]*eval_time: \\w+, exp_samples: \\[\\]")), "\(alert)")
      #expect(
        tests.contains(try Regex("ALERTS\\{alertname=\"\(alert)\", alertstate=\"firing\", instance=\"bad\"")),
        "\(alert)")
    }
  }

  @Test("the page speaks of metrics that there are")
  func page() throws {
    let named = Self.names(in: try Self.text("WATCHING.md"))
    #expect(!named.isEmpty)
    #expect(named.subtracting(Self.shown).subtracting(Self.others).isEmpty)
  }
}
