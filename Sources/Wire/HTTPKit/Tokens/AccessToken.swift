package import JSONEnvelope

/// What the holder of an access token may be.
public enum TokenRole: String, Sendable, Equatable, CaseIterable {
  case agent
  case supervisor
  case bot
  /// The operator: erases and keeps house; no part in any chat.
  case admin
  /// An app server: sends messages to devices; no part in any chat. Spec: GCM B1.3.
  case sender
  /// A back end: publishes notifications; no part in any chat. Spec: GMS 10.2.
  case publisher

  /// Operators, app servers and back ends have no part in any chat.
  package var takesPartInChats: Bool { self != .admin && self != .sender && self != .publisher }

  /// Whether the holder may publish notifications.
  package var mayPublish: Bool { self == .publisher || self == .admin }
}

/// One entry of the token file. The secret itself is nowhere: only its hash is kept.
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
}

extension AccessToken {
  /// Nil if a member is missing or malformed.
  package init?(_ value: JSONValue) {
    guard let id = value["id"]?.string, let name = value["name"]?.string,
      let role = value["role"]?.string.flatMap(TokenRole.init(rawValue:)),
      let digest = value["sha256"]?.string.flatMap(Self.bytes(hexadecimal:)), digest.count == 32,
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

  package func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(id)
    writer.key("name")
    writer.string(name)
    writer.key("role")
    writer.string(role.rawValue)
    writer.key("sha256")
    writer.string(Self.hexadecimal(digest))
    writer.key("createdAt")
    writer.string(createdAt)
    if let revokedAt {
      writer.key("revokedAt")
      writer.string(revokedAt)
    }
    sender?.writeMembers(into: &writer)
    if let services {
      writer.key("services")
      writer.beginArray()
      for service in services { writer.string(service) }
      writer.endArray()
    }
    writer.endObject()
  }

  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
