package import JSONEnvelope
import TextEncoding

/// One entry of the token file. The secret itself is nowhere: only its hash is kept.
/// Whoever is signed in by an identity provider has something like one, which is in no file.
public struct AccessToken: Sendable, Equatable {
  /// Names the token for revocation.
  public private(set) var id: String
  /// Whose token it is; the agent's id.
  public let name: String
  public let role: TokenRole
  /// `YYYY-MM-DDThh:mm:ssZ`.
  public private(set) var createdAt: String
  /// Nil while the token is good.
  public internal(set) var revokedAt: String?
  /// SHA-256 of the secret.
  package private(set) var digest: [UInt8]
  /// For the role `sender`, and for that one only.
  public let sender: SenderGrant?
  /// The services, and apps of support requests, that its holder has to do with, in the order of their names; nil for all.
  /// For roles that take part in chats.
  public let services: [String]?
  /// The session that acts as this token, where it was not shown itself. The file knows nothing of it.
  package private(set) var session: String?

  /// Whether the token still opens anything.
  public var isUsable: Bool { revokedAt == nil }

  /// The same holder with the same rights, and another secret.
  package func renewed(id: String, createdAt: String, digest: [UInt8]) -> AccessToken {
    var fresh = self
    fresh.id = id
    fresh.createdAt = createdAt
    fresh.digest = digest
    return fresh
  }

  /// The same token, as a session shows it.
  /// - Parameter key: `SessionSecret.key`.
  package func shown(bySession key: String) -> AccessToken {
    var shown = self
    shown.session = key
    return shown
  }
}

extension AccessToken {
  /// What somebody acts as whom an identity provider has vouched for: no secret opens it.
  /// - Parameters:
  ///   - id: that no token of the file can have.
  ///   - createdAt: when they were signed in.
  package init(person id: String, name: String, role: TokenRole, services: [String]?, createdAt: String) {
    self.init(
      id: id, name: name, role: role, createdAt: createdAt, revokedAt: nil, digest: [], sender: nil, services: services)
  }

  /// Nil if a member is missing or malformed.
  package init?(_ value: JSONValue) {
    guard let id = value["id"]?.string, let name = value["name"]?.string,
      let role = value["role"]?.string.flatMap(TokenRole.init(rawValue:)),
      let digest = value["sha256"]?.string.flatMap({ Hexadecimal.decode($0) }), digest.count == 32,
      let createdAt = value["createdAt"]?.string
    else { return nil }
    let revokedAt = value["revokedAt"].flatMap { $0.isNull ? nil : $0.string ?? "" }
    let sender = role == .sender ? SenderGrant(value) : nil
    guard (sender != nil) == (role == .sender) else { return nil }
    var services: [String]?
    if let value = value["services"], !value.isNull {
      // What cannot be read must not mean all of them.
      guard let names = value.array?.compactMap(\.string), names.count == value.array?.count, !names.isEmpty else {
        return nil
      }
      services = names
    }
    self.init(
      id: id, name: name, role: role, createdAt: createdAt, revokedAt: revokedAt, digest: digest, sender: sender,
      services: services)
  }

  package func write(into object: inout JSONObjectWriter) {
    object.member("id", id)
    object.member("name", name)
    object.member("role", role.rawValue)
    object.member("sha256", Hexadecimal.encode(digest))
    object.member("createdAt", createdAt)
    object.member("revokedAt", ifPresent: revokedAt)
    sender?.write(into: &object)
    object.member("services", ifPresent: services)
  }
}
