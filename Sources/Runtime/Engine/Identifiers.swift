/// Ids from the system's cryptographic random source: they are bearer secrets. Spec: GMS 1.1.
enum Identifiers {
  private static let lowercase = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let mixed = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// 26 characters `[0-9a-z]`: 134 random bits.
  static func clientID() -> String { text(26, of: lowercase) }

  /// 16 characters `[0-9A-Za-z]`.
  static func chatSessionID() -> String { text(16, of: mixed) }

  static func browserID() -> String { text(26, of: lowercase) }

  static func secureKey() -> String { text(32, of: lowercase) }

  /// Decimal node number, `-`, lower-case UUID of version 4.
  static func serviceID(node: Int) -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = Array("0123456789abcdef".utf8)
    var uuid: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { uuid.append(UInt8(ascii: "-")) }
      uuid.append(hex[Int(byte >> 4)])
      uuid.append(hex[Int(byte & 15)])
    }
    return "\(node)-" + String(decoding: uuid, as: UTF8.self)
  }

  private static func text(_ length: Int, of alphabet: [UInt8]) -> String {
    var random = SystemRandomNumberGenerator()
    return String(unsafeUninitializedCapacity: length) { buffer in
      for index in 0..<length { buffer[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
      return length
    }
  }
}
