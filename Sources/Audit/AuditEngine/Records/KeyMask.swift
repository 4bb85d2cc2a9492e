import Crypto
public import EngineKit
public import EventSourcing
import JSONEnvelope
import TextEncoding

/// Takes out of what is printed whatever opens something: dumps are pasted into tickets and mails.
///
/// In the place of a key stands `#` and the beginning of its SHA-256, so that two of one kind can still be told apart.
public struct KeyMask: Sendable {
  /// The names of members that hold keys, in the events and states of all kinds.
  private static let names: Set<String> = [
    "userKey", "owner", "issuedKey", "secureKey", "browserID", "clientID", "deviceID", "identifier", "identifiers",
    "accessToken", "token", "tokens", "userToken", "securityToken", "secret", "authenticationSecret", "seed", "digest",
  ]

  private let catalogue: Catalogue

  public init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  /// An event or a state as JSON, without what opens anything.
  /// - Throws: if it is no JSON.
  public func masked(_ json: [UInt8], of kind: EntityKind) throws -> [UInt8] {
    let names = Self.names.union(catalogue[kind]?.secretMembers ?? [])
    return walked(try JSONValue(parsing: json, limits: JSONLimits(documentBytesMaximum: .max)), names).text
  }

  /// The id of an entity, as far as it does not open it.
  public func masked(id: String, of kind: EntityKind) -> String {
    catalogue[kind]?.isKeySecret == true ? Self.mask(id) : id
  }

  private func walked(_ value: JSONValue, _ names: Set<String>) -> JSONValue {
    switch value {
    case .object(var object):
      for name in object.names {
        guard let member = object[name] else { continue }
        object[name] = names.contains(name) ? hidden(member, names) : walked(member, names)
      }
      return .object(object)
    case .array(let elements): return .array(elements.map { walked($0, names) })
    default: return value
    }
  }

  private func hidden(_ value: JSONValue, _ names: Set<String>) -> JSONValue {
    switch value {
    case .string(let text): return text.isEmpty ? value : .string(Self.mask(text))
    case .integer: return .string(Self.mask(value.text))
    case .array(let elements):
      // Bytes are written as numbers: they hide as one.
      let isBytes = !elements.isEmpty && elements.allSatisfy { if case .integer = $0 { true } else { false } }
      return isBytes ? .string(Self.mask(elements)) : .array(elements.map { hidden($0, names) })
    default: return walked(value, names)
    }
  }

  private static func mask(_ text: String) -> String { mask(Array(text.utf8)) }

  private static func mask(_ bytes: [JSONValue]) -> String {
    mask(bytes.map { if case .integer(let byte) = $0 { UInt8(truncatingIfNeeded: byte) } else { 0 } })
  }

  private static func mask(_ bytes: [UInt8]) -> String {
    "#" + Hexadecimal.encode(SHA256.hash(data: bytes).prefix(4))
  }
}
