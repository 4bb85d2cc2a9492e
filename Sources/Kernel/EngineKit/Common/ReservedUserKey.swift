/// Keys that stand where a `gms_user` does and that no app can name: they are of users who came by an access token, or of
/// this house itself.
public enum ReservedUserKey {
  package static let prefix = "support/"

  /// Whether a `gms_user` would pass for one.
  public static func isReserved(_ userKey: String) -> Bool { userKey.hasPrefix(prefix) }

  package static func of(_ user: Int64) -> String { prefix + String(user) }

  /// Such a name that is no user's, but this house's own.
  package static func isNobodys(_ userKey: String) -> Bool { isReserved(userKey) && number(in: userKey) == nil }

  /// The number of the user; nil for a `gms_user`.
  package static func number(in userKey: String) -> Int64? {
    isReserved(userKey) ? Int64(userKey.dropFirst(prefix.count)) : nil
  }
}
