import Crypto
import EngineKit
package import PushDomain

/// The name of a push for the world, the same for its whole life without being stored: made of the producer's id, which
/// holds more than a hundred random bits, and the push's number. Spec: providers 1.3.
package enum PushUUID {
  /// A UUID of version 8 (RFC 9562) in lower case.
  package static func text(of id: PushID) -> String {
    var hash = SHA256()
    hash.update(data: Array("carillon push \(id.number) of \(id.producer)".utf8))
    var bytes = Array(hash.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUIDText.text(bytes)
  }
}
