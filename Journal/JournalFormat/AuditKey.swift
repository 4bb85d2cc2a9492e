internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An Ed25519 key that signs checkpoints, as `openssl genpkey -algorithm ed25519` writes it.
public struct AuditKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey
  /// PKCS #8 around the 32 bytes of the key. Spec: RFC 8410, section 7, version 1.
  private static let prefix: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]

  /// A new key.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// - Parameter pem: `-----BEGIN PRIVATE KEY-----` and so on, not encrypted.
  /// - Throws: `notAPrivateKey`.
  public init(pem: String) throws(AuditKeyError) {
    guard let bytes = PEM.decode(pem, label: "PRIVATE KEY"), bytes.count == Self.prefix.count + 32,
      bytes.starts(with: Self.prefix),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.dropFirst(Self.prefix.count))
    else { throw .notAPrivateKey }
    self.key = key
  }

  /// - Parameter seed: the 32 bytes of a private key.
  /// - Throws: `notAPrivateKey`.
  package init(seed: [UInt8]) throws(AuditKeyError) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { throw .notAPrivateKey }
    self.key = key
  }

  /// The 32 bytes that the key is made of; as secret as the key.
  package var seed: [UInt8] { Array(key.rawRepresentation) }

  public var pem: String { PEM.encode(Self.prefix + seed, label: "PRIVATE KEY") }

  public var publicKey: AuditPublicKey { AuditPublicKey(key.publicKey) }

  /// 64 bytes. Spec: RFC 8032.
  public func signature(of bytes: [UInt8]) throws(AuditKeyError) -> [UInt8] {
    do {
      return Array(try key.signature(for: bytes))
    } catch {
      throw .signingFailed
    }
  }
}

/// The half of an Ed25519 key that everybody may know.
public struct AuditPublicKey: Sendable, Hashable {
  /// The key itself, 32 bytes.
  package let raw: [UInt8]
  /// SubjectPublicKeyInfo around the 32 bytes of the key. Spec: RFC 8410, section 4.
  private static let prefix: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

  /// - Parameter raw: the 32 bytes of a public key.
  /// - Throws: `notAPublicKey`.
  package init(raw: [UInt8]) throws(AuditKeyError) {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw) else { throw .notAPublicKey }
    self.init(key)
  }

  /// Whether the key is written as the one text of its point: other libraries refuse the second one. Spec: RFC 8032,
  /// 5.1.3: the y coordinate is below the field's prime, and an x of zero has no sign.
  package var isCanonical: Bool {
    let (first, last, isNegative) = (raw[0], raw[31] & 0x7F, raw[31] & 0x80 != 0)
    let middle = raw[1..<31]
    if last == 0x7F, middle.allSatisfy({ $0 == 0xFF }) { return first < 0xEC || (first == 0xEC && !isNegative) }
    return !(isNegative && first == 1 && last == 0 && middle.allSatisfy { $0 == 0 })
  }

  init(_ key: Curve25519.Signing.PublicKey) { raw = Array(key.rawRepresentation) }

  /// - Parameter text: a PEM file (`-----BEGIN PUBLIC KEY-----`), or the one line of Base64 inside it.
  /// - Throws: `notAPublicKey`.
  public init(text: String) throws(AuditKeyError) {
    guard let bytes = PEM.decode(text, label: "PUBLIC KEY") ?? Base64.decode(PEM.trimmed(text)),
      bytes.count == Self.prefix.count + 32, bytes.starts(with: Self.prefix),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes.dropFirst(Self.prefix.count))
    else { throw .notAPublicKey }
    self.init(key)
  }

  /// What stands between the lines of a PEM file.
  public var base64: String { Base64.encode(Self.prefix + raw) }
  public var pem: String { PEM.encode(Self.prefix + raw, label: "PUBLIC KEY") }

  public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw) else { return false }
    return key.isValidSignature(signature, for: bytes)
  }
}

public enum AuditKeyError: Error, Sendable, Equatable, CustomStringConvertible {
  case notAPrivateKey
  case notAPublicKey
  case signingFailed

  public var description: String {
    switch self {
    case .notAPrivateKey: "not an unencrypted Ed25519 key in PEM; make one with `carillon journal key`"
    case .notAPublicKey: "not an Ed25519 public key in PEM"
    case .signingFailed: "the signature could not be made"
    }
  }
}

/// Text around DER. Spec: RFC 7468.
enum PEM {
  static func encode(_ bytes: [UInt8], label: String) -> String {
    var lines = ["-----BEGIN \(label)-----"]
    var rest = Base64.encode(bytes)[...]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    lines.append("-----END \(label)-----")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Nil unless there is exactly one such block, whatever stands around it.
  static func decode(_ text: String, label: String) -> [UInt8]? {
    let lines = text.split(whereSeparator: \.isNewline).map(trimmed)
    guard let start = lines.firstIndex(of: "-----BEGIN \(label)-----"),
      let end = lines.firstIndex(of: "-----END \(label)-----"), start < end
    else { return nil }
    return Base64.decode(lines[(start + 1)..<end].joined())
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    var characters = text[...]
    while characters.first?.isWhitespace == true { characters = characters.dropFirst() }
    while characters.last?.isWhitespace == true { characters = characters.dropLast() }
    return String(characters)
  }
}
