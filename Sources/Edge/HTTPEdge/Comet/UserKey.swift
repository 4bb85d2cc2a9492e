import Engine

/// The opaque key that an app names its user by. Spec: GMS 2.2, 4.2.
enum UserKey {
  static let headerName = "gms_user"

  /// Nil for a missing or empty header.
  static func read(_ header: String?, limits: EdgeLimits) -> Result<String?, EdgeFailure> {
    guard let header else { return .success(nil) }
    guard header.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return .failure(.badParameter(headerName, "has characters that cannot be printed"))
    }
    let start = header.drop { $0 == " " }
    guard let last = start.lastIndex(where: { $0 != " " }) else { return .success(nil) }
    let key = start[...last]
    guard key.utf8.count <= limits.userKeyCharactersMaximum else {
      return .failure(.badParameter(headerName, "is longer than \(limits.userKeyCharactersMaximum) characters"))
    }
    guard !SupportUserKey.isReserved(String(key)) else {
      return .failure(.badParameter(headerName, "begins with a reserved word"))
    }
    return .success(String(key))
  }
}
