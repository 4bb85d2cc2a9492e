package import PushDomain
import TextEncoding

/// The entity key of a device and of its queue.
package enum DeviceKey {
  /// A hash, since a token may be long and is not for every eye: whoever has it can push. 32 hex digits.
  package static func of(_ target: PushAddress) -> String {
    // For each push: in one list.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(target.deviceID.utf8.count + 64)
    for part in [target.type, target.provider ?? "", target.debug ? "debug" : "", target.deviceID] {
      bytes.append(contentsOf: String(part.utf8.count).utf8)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: part.utf8)
    }
    return Hexadecimal.encode(SHA256Bytes.of(bytes).prefix(16))
  }
}

extension PushAddress {
  /// What people are shown of an address: its type, and the beginning of its hash, by which its device is found.
  package var shown: String { "\(type) #\(DeviceKey.of(self).prefix(8))" }
}
