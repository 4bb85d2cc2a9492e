import Crypto
package import PushDomain

/// The entity key of a device and of its queue.
package enum DeviceKey {
  private static let digits = Array("0123456789abcdef".utf8)

  /// A hash, since a token may be long and is not for every eye: whoever has it can push. 32 hex digits.
  package static func of(_ target: PushAddress) -> String {
    var hash = SHA256()
    for part in [target.type, target.provider ?? "", target.debug ? "debug" : "", target.deviceID] {
      hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }
    let digest = hash.finalize()
    // For each push, and kept with each device: without a list of pieces, and no longer than it is.
    return String(unsafeUninitializedCapacity: 32) { text in
      for (index, byte) in digest.prefix(16).enumerated() {
        text[2 * index] = digits[Int(byte >> 4)]
        text[2 * index + 1] = digits[Int(byte & 15)]
      }
      return 32
    }
  }
}

extension PushAddress {
  /// What people are shown of an address: its type, and the beginning of its hash, by which its device is found.
  package var shown: String { "\(type) #\(DeviceKey.of(self).prefix(8))" }
}
