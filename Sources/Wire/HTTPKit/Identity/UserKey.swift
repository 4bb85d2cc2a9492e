import EngineKit

/// The opaque key that an app names its user by. Spec: GMS 2.2, 4.2.
package enum UserKey {
  package static let headerName = "gms_user"

  /// Nil for a missing or empty header.
  /// - Parameters:
  ///   - headers: all of one name; two could mean two users, to two readers.
  ///   - name: theirs.
  package static func read(
    _ headers: [String], name: String = headerName, limits: EdgeLimits
  ) -> Result<String?, EdgeFailure> {
    guard let header = headers.first else { return .success(nil) }
    guard headers.count == 1 else { return .failure(.badParameter(name, "is given more than once")) }
    guard header.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return .failure(.badParameter(name, "has characters that cannot be printed"))
    }
    let start = header.drop { $0 == " " }
    guard let last = start.lastIndex(where: { $0 != " " }) else { return .success(nil) }
    let key = start[...last]
    guard key.utf8.count <= limits.userKeyCharactersMaximum else {
      return .failure(.badParameter(name, "is longer than \(limits.userKeyCharactersMaximum) characters"))
    }
    guard !ReservedUserKey.isReserved(String(key)) else {
      return .failure(.badParameter(name, "begins with a reserved word"))
    }
    return .success(String(key))
  }
}
