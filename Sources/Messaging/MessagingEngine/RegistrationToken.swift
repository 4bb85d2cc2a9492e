import Crypto
import PushDomain
import TextEncoding

/// The text by which app servers name a registration: it says itself where to look, and cannot be guessed.
///
/// ```
///   <instance id, 11 characters> : APA91b <Base64 of: version 1 | android id 8 | number 4 | proof 87>
/// ```
/// The proof is made of the device's seed, which nobody else knows; so no index of tokens is needed, and one that was
/// good once is told from one that never was. Spec: GCM D3.8.
struct RegistrationToken {
  static let instanceIDLength = 11
  private static let prefix = "APA91b"
  private static let lengthMaximum = 256
  private static let version: UInt8 = 1
  private static let headBytes = 13
  private static let proofBytes = 87

  let id: InstallationID
  let number: Int
  let instanceID: Substring
  private let proof: [UInt8]

  /// Nil for what is no such text.
  init?(_ text: String) {
    guard text.utf8.count <= Self.lengthMaximum, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let (instanceID, rest) = (text[..<colon], text[text.utf8.index(after: colon)...])
    guard instanceID.utf8.count == Self.instanceIDLength, rest.hasPrefix(Self.prefix),
      let bytes = Base64.decode(digits: rest.utf8.dropFirst(Self.prefix.utf8.count), .url),
      bytes.count == Self.headBytes + Self.proofBytes, bytes[0] == Self.version
    else { return nil }
    id = InstallationID(bytes[1..<9].reduce(0) { $0 << 8 | UInt64($1) })
    number = bytes[9..<13].reduce(0) { $0 << 8 | Int($1) }
    self.instanceID = instanceID
    proof = Array(bytes[Self.headBytes...])
  }

  /// Whether the device with this seed ever gave out this token.
  func isProved(by seed: [UInt8]) -> Bool {
    // Every byte is compared, whatever was found before.
    zip(proof, Self.proof(of: number, seed)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Whether its instance id is the one that a registration without its own is given.
  func hasDerivedInstanceID(_ seed: [UInt8]) -> Bool { instanceID == Self.derivedInstanceID(of: number, seed)[...] }

  static func text(of registration: AppRegistration, on id: InstallationID, seed: [UInt8]) -> String {
    var bytes: [UInt8] = [version]
    bytes.append(contentsOf: withUnsafeBytes(of: id.androidID.bigEndian, Array.init))
    bytes.append(contentsOf: withUnsafeBytes(of: UInt32(clamping: registration.number).bigEndian, Array.init))
    return
      "\(instanceID(of: registration, seed)):\(prefix)\(Base64.encodeForURL(bytes + proof(of: registration.number, seed)))"
  }

  private static func instanceID(of registration: AppRegistration, _ seed: [UInt8]) -> String {
    ownInstanceID(of: registration) ?? derivedInstanceID(of: registration.number, seed)
  }

  static func ownInstanceID(of registration: AppRegistration) -> String? {
    registration.instanceID.flatMap { $0.utf8.count == instanceIDLength && !$0.contains(":") ? $0 : nil }
  }

  private static func derivedInstanceID(of number: Int, _ seed: [UInt8]) -> String {
    Base64.encodeForURL(Array(mac("instance", number, seed).prefix(8)))
  }

  private static func proof(of number: Int, _ seed: [UInt8]) -> [UInt8] {
    Array((mac("token", number, seed) + mac("more", number, seed)).prefix(proofBytes))
  }

  private static func mac(_ purpose: String, _ number: Int, _ seed: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA512>.authenticationCode(for: Array("\(purpose) \(number)".utf8), using: SymmetricKey(data: seed)))
  }
}

/// Names one registration for the mailbox: its device and its number.
struct MailScope: Hashable, Comparable {
  let androidID: UInt64
  let number: Int

  init(_ id: InstallationID, _ number: Int) {
    androidID = id.androidID
    self.number = number
  }

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = UInt64(parts[0]), let number = Int(parts[1]) else { return nil }
    androidID = id
    self.number = number
  }

  var text: String { "\(androidID)/\(number)" }
  var id: InstallationID { InstallationID(androidID) }

  static func < (left: MailScope, right: MailScope) -> Bool {
    (left.androidID, left.number) < (right.androidID, right.number)
  }
}

/// The queues that hold mail, by their entity keys.
enum MailboxKey {
  static let devices = "gcm-"
  private static let senders = "ccs-"

  static func device(_ id: InstallationID) -> String { "\(devices)\(id.androidID)" }
  static func sender(_ sender: String) -> String { senders + sender }

  static func device(of key: String) -> InstallationID? {
    guard key.hasPrefix(devices) else { return nil }
    return UInt64(key.dropFirst(devices.count)).map { InstallationID($0) }
  }

  static func sender(of key: String) -> String? {
    key.hasPrefix(senders) ? String(key.dropFirst(senders.count)) : nil
  }
}
