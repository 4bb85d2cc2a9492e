/// The paths whose bodies are files, and so are larger than others.
package enum FileTarget {
  /// - Parameter target: path and query string.
  package static func takesFiles(_ target: String) -> Bool {
    guard target.hasPrefix("/genesys/1/service/") || target.hasPrefix("/agent/1/chats/") else { return false }
    let parts = target.prefix { $0 != "?" }.split(separator: "/")
    switch parts.first {
    case "agent": return parts.count == 5 && parts[4] == "file"
    default: return parts.count == 7 && parts[4] == "ixn" && parts[5] == "chat" && parts[6] == "file"
    }
  }
}
