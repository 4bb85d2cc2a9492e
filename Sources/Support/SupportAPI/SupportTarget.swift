/// The targets of support's surface. Spec: support requests 8.
package enum SupportTarget {
  /// The target without the `.json` that its path may end in: both spellings are one resource.
  /// - Parameter target: path and query string.
  package static func withoutFormat(_ target: String) -> String {
    guard !target.hasPrefix("/attachments/") else { return target }
    let path = target.prefix { $0 != "?" }
    guard path.hasSuffix(format) else { return target }
    return String(path.dropLast(format.count) + target[path.endIndex...])
  }

  static let format = ".json"

  /// Whether the body is a file, and so may be larger than others.
  package static func takesFiles(_ target: String) -> Bool {
    ["/api/v2/uploads", "/api/mobile/uploads"].contains(withoutFormat(target).prefix { $0 != "?" })
  }
}
