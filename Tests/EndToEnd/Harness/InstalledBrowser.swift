import Foundation

/// The browser that is installed, if one is.
enum InstalledBrowser {
  static let chromium = path(["chromium", "chromium-browser"])
  /// What has it do what tests want.
  static let driver = path(["chromedriver"])

  private static func path(_ names: [String]) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
