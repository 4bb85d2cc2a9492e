internal import Crypto
internal import JournalFormat

extension Hash256 {
  /// Of a digest that was computed piece by piece.
  init(_ digest: SHA256.Digest) {
    guard let hash = digest.withUnsafeBytes({ Hash256($0) }) else {
      preconditionFailure("a digest of SHA-256 has 32 bytes")
    }
    self = hash
  }

  init(digestOf bytes: [UInt8]) { self.init(SHA256.hash(data: bytes)) }
}
