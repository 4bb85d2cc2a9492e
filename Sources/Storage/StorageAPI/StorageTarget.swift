/// The paths whose bodies may be files, and so are larger than others. Spec: GMS 2.4, 11.
package enum StorageTarget {
  /// - Parameter target: path and query string.
  package static func takesFiles(_ target: String) -> Bool {
    if target.hasPrefix("/genesys/1/storage/") { return true }
    guard target.hasPrefix("/genesys/1/service/") else { return false }
    let parts = target.prefix { $0 != "?" }.split(separator: "/")
    return parts.count >= 5 && parts[4] == "storage"
  }
}
