import Foundation

/// The browser that is installed, if one is.
enum InstalledBrowser {
  static let chromium = path(["chromium", "chromium-browser"])
  /// What has it do what tests want.
  static let driver = path(["chromedriver"])

  /// Whether tests with it are run: where all clients are required its absence is a failure.
  static let isTried =
    (chromium != nil && driver != nil)
    || ProcessInfo.processInfo.environment["CARILLON_CLIENTS_REQUIRED"]?.isEmpty == false

  private static func path(_ names: [String]) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
