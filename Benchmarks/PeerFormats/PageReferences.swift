/// What a page of the web, or a module of one, leads a browser to as soon as it has read it: scripts, style sheets,
/// icon and manifest of a page; what a module imports or hands on. Not what a module imports only while it runs.
package enum PageReferences {
  /// As they are written, in their order.
  package static func inPage(_ text: String) -> [String] {
    // A link of `<a>` leads to another page.
    text.split(separator: "<").filter { $0.hasPrefix("link ") || $0.hasPrefix("script ") }.flatMap { tag in
      [" src=\"", " href=\""].flatMap { quoted(behind: $0, in: tag.prefix { $0 != ">" }, end: "\"") }
    }
  }

  /// Relative ones: a module names no other kind of file.
  package static func inModule(_ text: String) -> [String] {
    ["'", "\""].flatMap { quote in
      // With a blank or without: it may have been made narrow.
      ["from", "from ", "import", "import "].flatMap { quoted(behind: $0 + quote, in: text[...], end: quote) }
    }.filter { $0.hasPrefix("./") || $0.hasPrefix("../") }
  }

  /// The path that a reference means.
  /// - Parameter base: path of the file that it stands in.
  package static func path(of name: String, in base: String) -> String {
    guard !name.hasPrefix("/") else { return name }
    var parts = base.split(separator: "/")
    if !base.hasSuffix("/"), !parts.isEmpty { parts.removeLast() }
    for part in name.split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func quoted(behind begin: String, in text: Substring, end: String) -> [String] {
    var found: [String] = []
    var rest = text
    while let start = rest.firstRange(of: begin) {
      rest = rest[start.upperBound...]
      guard let stop = rest.firstRange(of: end) else { break }
      found.append(String(rest[..<stop.lowerBound]))
      rest = rest[stop.upperBound...]
    }
    return found
  }
}
