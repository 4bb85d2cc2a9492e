internal import NIOCore

extension SocketAddress {
  /// True if the address is not one of the public internet: loopback, private, shared (carrier), link-local, multicast,
  /// unspecified, documentation, benchmarking, reserved, and IPv6 forms that carry such an IPv4 address. Spec:
  /// providers, server-side request forgery.
  var isPrivate: Bool {
    // Offsets of the address in `sockaddr_in` and `sockaddr_in6`, the same on Linux and Darwin.
    switch self {
    case .v4:
      return withSockAddr { start, size in
        Self.isPrivate(ipv4: Self.bigEndian(UnsafeRawBufferPointer(start: start, count: size), at: 4))
      }
    case .v6:
      return withSockAddr { start, size in
        let bytes = UnsafeRawBufferPointer(start: start, count: size)
        return Self.isPrivate(ipv6: UnsafeRawBufferPointer(rebasing: bytes[8..<24]))
      }
    case .unixDomainSocket:
      return true
    }
  }

  private static func bigEndian(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func isPrivate(ipv4 address: UInt32) -> Bool {
    let ranges: [(UInt32, bits: UInt32)] = [
      (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
      (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
      (0xCB00_7100, 24), (0xE000_0000, 3),
    ]
    return ranges.contains { (address ^ $0.0) >> (32 - $0.bits) == 0 }
  }

  private static func isPrivate(ipv6 bytes: UnsafeRawBufferPointer) -> Bool {
    func ipv4(at offset: Int) -> Bool { isPrivate(ipv4: bigEndian(bytes, at: offset)) }
    let leadingZeros = bytes.prefix { $0 == 0 }.count
    // ::, ::1, IPv4-compatible and IPv4-mapped.
    if leadingZeros >= 12 { return true }
    if leadingZeros == 10, bytes[10] == 0xFF, bytes[11] == 0xFF { return ipv4(at: 12) }
    switch (bytes[0], bytes[1]) {
    case (0x00, 0x64): return bytes[2] == 0xFF && bytes[3] == 0x9B  // 64:ff9b::/96 and /48, NAT64
    case (0x01, 0x00): return true  // 100::/64, discard
    case (0x20, 0x01): return bytes[2] < 0x02 || (bytes[2] == 0x0D && bytes[3] == 0xB8)  // 2001::/23, documentation
    case (0x20, 0x02): return ipv4(at: 2)  // 6to4
    default:
      // Of the rest only 2000::/3 is the public internet; fc00::/7, fe80::/10 and ff00::/8 are not.
      return bytes[0] & 0xE0 != 0x20
    }
  }
}
