import SwiftProtobuf

extension MCSStanza {
  /// The stanza as it goes over the wire, without the version byte that the first one of a connection comes behind.
  /// Spec: GCM D6.1.
  /// - Returns: nil if a field that it has to have is missing, which a server's own stanzas never are.
  public var frame: [UInt8]? {
    guard let body: [UInt8] = try? message.serializedBytes() else { return nil }
    var bytes: [UInt8] = [tag.rawValue]
    bytes.reserveCapacity(6 + body.count)
    var length = body.count
    while length >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    bytes.append(UInt8(length))
    bytes.append(contentsOf: body)
    return bytes
  }
}
