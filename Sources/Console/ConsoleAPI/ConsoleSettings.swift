import ConsoleEngine
package import OptionKit

/// Whether there is a console, and where its pages lie: options `console.…` of section `server`.
public struct ConsoleSettings: Sendable, Equatable {
  public var isEnabled = true
  /// Begins with a slash, and does not end with one.
  public var path = "/console"
  /// Whether a customer's phone is among the pages: for `carillon demo --serve` alone, hence no option.
  public var hasDemoApp = false

  public init() {}
}

extension ConsoleSettings {
  package init(_ options: some OptionReader) {
    let keys = ConsoleOptions.keys
    isEnabled = options[keys.isEnabled]
    path = options[keys.path]
  }

  /// Whether a request is for a page.
  /// - Parameter target: path and query string.
  package func takes(_ target: String) -> Bool {
    guard isEnabled, target.utf8.starts(with: path.utf8) else { return false }
    let rest = target.utf8.dropFirst(path.utf8.count).first
    return rest == nil || rest == UInt8(ascii: "/") || rest == UInt8(ascii: "?")
  }
}
