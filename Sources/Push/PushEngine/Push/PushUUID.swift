import EngineKit
package import PushDomain
import TextEncoding

/// The name of a push for the world, the same for its whole life without being stored: made of the producer's id, which
/// holds more than a hundred random bits, and the push's number. Spec: providers 1.3.
package enum PushUUID {
  /// A UUID of version 8 (RFC 9562) in lower case.
  package static func text(of id: PushID) -> String {
    var bytes = SHA256Bytes.of("carillon push \(id.number) of \(id.producer)")
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUIDText.text(bytes)
  }
}
