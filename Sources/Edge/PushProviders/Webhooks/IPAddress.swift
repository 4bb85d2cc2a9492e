internal import NIOCore

/// An address of a host. An IPv4 address and its IPv4-mapped IPv6 form (`::ffff:a.b.c.d`) are the same address: the
/// system connects both to the same place.
struct IPAddress: Sendable, Hashable {
  /// As an IPv6 address, the first byte on top; IPv4 in the mapped form.
  let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF

  init(bits: UInt128) { self.bits = bits }

  init(ipv4 address: UInt32) { bits = Self.mappedPrefix << 32 | UInt128(address) }

  /// Reads the four decimal numbers of IPv4 or any form of IPv6 without a zone; nil for anything else, such as the
  /// octal, hexadecimal and short forms that old software takes.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45, !text.utf8.contains(UInt8(ascii: "%")),
      let address = try? SocketAddress(ipAddress: String(text), port: 0)
    else { return nil }
    self.init(address)
  }

  /// The address of one end of a connection; nil if it is a file.
  init?(_ address: SocketAddress) {
    // Offsets of the address in `sockaddr_in` and `sockaddr_in6`, the same on Linux and Darwin.
    switch address {
    case .v4:
      self.init(
        ipv4: address.withSockAddr { start, size in
          UInt32(
            bigEndian: UnsafeRawBufferPointer(start: start, count: size).loadUnaligned(
              fromByteOffset: 4, as: UInt32.self))
        })
    case .v6:
      self.init(
        bits: address.withSockAddr { start, size in
          let bytes = UnsafeRawBufferPointer(start: start, count: size)
          return UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt128.self))
        })
    case .unixDomainSocket: return nil
    }
  }

  /// The IPv4 address, if it is one.
  var ipv4: UInt32? { bits >> 32 == Self.mappedPrefix ? UInt32(truncatingIfNeeded: bits) : nil }

  /// In a form that every reader of addresses takes.
  var text: String {
    if let ipv4 { return [24, 16, 8, 0].map { String(ipv4 >> $0 & 0xFF) }.joined(separator: ".") }
    return (0..<8).map { String(UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)), radix: 16) }.joined(separator: ":")
  }
}

/// All addresses with the same first bits.
struct AddressBlock: Sendable, Hashable {
  let base: IPAddress
  /// Of the 128 bits of an `IPAddress`.
  let length: Int

  init(ipv4 base: UInt32, _ length: Int) {
    self.base = IPAddress(ipv4: base)
    self.length = 96 + length
  }

  init(ipv6 high: UInt64, _ length: Int) {
    base = IPAddress(bits: UInt128(high) << 64)
    self.length = length
  }

  /// Reads `10.0.0.0/8`, `fd00::/8`, or one address; nil for anything else.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let base = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    // The way it is written says what the length counts: `::ffff:10.0.0.0/104` is 10.0.0.0/8.
    let isIPv4 = !parts[0].utf8.contains(UInt8(ascii: ":"))
    var length = isIPv4 ? 32 : 128
    if parts.count == 2 {
      guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(parts[1]),
        number <= length
      else { return nil }
      length = number
    }
    self.base = base
    self.length = isIPv4 ? 96 + length : length
  }

  func contains(_ address: IPAddress) -> Bool { length == 0 || (base.bits ^ address.bits) >> (128 - length) == 0 }
}
