package import OptionKit

/// The console: options of section `server`.
package struct ConsoleOptions: OptionTable {
  package static let keys = ConsoleOptions()

  package let isEnabled = OptionKey(
    "console.enabled", in: [.server], .flag, default: true, "whether there is a console, and one can sign in",
    takes: .restart)
  package let path = OptionKey(
    "console.path", in: [.server], .text, default: "/console", "path of the console's pages", takes: .restart)
  /// Origins, or `*`.
  package let allowedOrigins = OptionKey(
    "console.allowed_origins", in: [.server], .list, default: [],
    "web origins whose pages may use what agents and operators use, with tokens of their own; * is every page there is",
    takes: .restart)
  package let idleSeconds = OptionKey(
    "console.session_idle_seconds", in: [.server], .integer(60...2_592_000), default: 43_200,
    "how long a session lasts that nobody uses", takes: .reload)
  package let seconds = OptionKey(
    "console.session_seconds", in: [.server], .integer(60...31_536_000), default: 604_800,
    "how long a session lasts at most", takes: .reload)
  package let sessionsByToken = OptionKey(
    "console.sessions_by_token", in: [.server], .integer(1...1_000), default: 16,
    "open sessions of one token; with one more, the one that was used least lately ends", takes: .reload)
  package let sessions = OptionKey(
    "console.sessions", in: [.server], .integer(1...1_000_000), default: 10_000, "open sessions", takes: .reload)

  package init() {}
}

/// Where the console's pages may lie.
package enum ConsolePath {
  /// The first parts of all paths that other surfaces have.
  package static let taken: Set<String> = [
    "access", "admin", "agent", "api", "attachments", "c2dm", "checkin", "client", "device", "devices", "fcm",
    "gcm", "genesys", "health", "iid", "metrics", "openapi.json", "tlog", "token", "v1", "wp",
  ]

  package static let lengthMaximum = 128

  /// What is wrong with a path; nil if it can be that of the pages.
  package static func flaw(_ path: String) -> String? {
    guard path.hasPrefix("/") else { return "does not begin with /" }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      return "needs a name behind each /, and none at its end"
    }
    guard path.utf8.count <= lengthMaximum, path.utf8.allSatisfy({ isPlain($0) }) else {
      return "has more than \(lengthMaximum) bytes, or others than letters, digits, -, _, . and /"
    }
    if let first = parts.first, taken.contains(first.lowercased()) { return "belongs to another part of the server" }
    if parts.count > 1, parts[0] == "console", parts[1] == "1" { return "belongs to the sessions of the console" }
    return nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
