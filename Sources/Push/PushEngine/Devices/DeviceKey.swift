import Crypto
package import PushDomain
import TextEncoding

/// The entity key of a device and of its queue.
package enum DeviceKey {
  /// A hash, since a token may be long and is not for every eye: whoever has it can push. 32 hex digits.
  package static func of(_ target: PushAddress) -> String {
    var hash = SHA256()
    for part in [target.type, target.provider ?? "", target.debug ? "debug" : "", target.deviceID] {
      hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }
    // For each push: without a list of its bytes.
    return hash.finalize().withUnsafeBytes { Hexadecimal.encode($0.prefix(16)) }
  }
}

extension PushAddress {
  /// What people are shown of an address: its type, and the beginning of its hash, by which its device is found.
  package var shown: String { "\(type) #\(DeviceKey.of(self).prefix(8))" }
}
