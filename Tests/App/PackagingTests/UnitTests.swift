import Foundation
import HTTPKit
import Testing

@testable import carillon

@Suite("The unit that the packages bring")
struct UnitTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The values of a setting, in the order of the file.
  private static func values(_ setting: String) throws -> [String] {
    let unit = try String(
      contentsOf: root.appending(path: "Sources/App/Packaging/systemd/carillon.service.in"), encoding: .utf8)
    return unit.split(separator: "\n").filter { $0.hasPrefix("\(setting)=") }
      .flatMap { $0.dropFirst(setting.count + 1).split(separator: " ").map(String.init) }
  }

  @Test("tries again whatever may pass, and nothing else")
  func statuses() throws {
    let lasting = ExitStatus.allCases.filter { $0 != .success && !$0.mayPass }.map(\.rawValue)
    #expect(try Self.values("RestartPreventExitStatus").map { Int32($0) } == lasting.sorted())
    #expect(try Self.values("Restart") == ["on-failure"])
  }

  @Test("stops no earlier than the server itself would give up")
  func stop() throws {
    let seconds = try #require(try Self.values("TimeoutStopSec").first.flatMap { Int($0) })
    // As `Server.run` counts it, with the built-in grace.
    #expect(.seconds(seconds) > EdgeLimits().shutdownGrace * 2 + Server.lastResort)
  }
}
