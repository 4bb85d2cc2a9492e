/// Ids from the system's cryptographic random source: they are bearer secrets. Spec: GMS 1.1.
package struct Identifiers: Sendable {
  private static let lowercase = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  private static let uppercase = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let decimal = Array("0123456789".utf8)
  private static let mixed = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// See `EngineEnvironment.randomBytes`.
  let randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// 26 characters `[0-9a-z]`: 134 random bits.
  package func clientID() -> String { text(26, of: Self.lowercase) }

  /// 16 characters `[0-9A-Za-z]`.
  package func chatSessionID() -> String { text(16, of: Self.mixed) }

  package func browserID() -> String { text(26, of: Self.lowercase) }

  package func secureKey() -> String { text(32, of: Self.lowercase) }

  /// 32 characters `[0-9A-Z]`.
  package func callbackID() -> String { text(32, of: Self.uppercase) }

  /// For a path that nobody can guess: 22 characters `[0-9A-Za-z]`, 131 random bits.
  package func pathSecret() -> String { text(22, of: Self.mixed) }

  package func digits(_ count: Int) -> String { text(count, of: Self.decimal) }

  /// Decimal node number, `-`, lower-case UUID of version 4.
  package func serviceID(node: Int) -> String { "\(node)-" + uuid() }

  /// Version 4, in lower case.
  package func uuid() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUIDText.text(bytes)
  }

  /// 1…2⁶³−1.
  package func positiveNumber() -> UInt64 {
    max(1, bytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1)
  }

  package func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { randomBytes($0) }
    return bytes
  }

  private func text(_ length: Int, of alphabet: [UInt8]) -> String {
    var random = ByteGenerator(randomBytes: randomBytes)
    return String(unsafeUninitializedCapacity: length) { buffer in
      for index in 0..<length { buffer[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
      return length
    }
  }
}

/// Numbers from a source of bytes, a few at a time: an id needs some two dozen.
private struct ByteGenerator: RandomNumberGenerator {
  let randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void
  private var words: [UInt64] = []

  init(randomBytes: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.randomBytes = randomBytes }

  mutating func next() -> UInt64 {
    if words.isEmpty {
      words = Array(repeating: 0, count: 32)
      words.withUnsafeMutableBytes { randomBytes($0) }
    }
    return words.removeLast()
  }
}
