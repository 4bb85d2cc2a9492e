#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// An address of a host. An IPv4 address and its IPv4-mapped IPv6 form (`::ffff:a.b.c.d`) are the same address: the
/// system connects both to the same place.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// As an IPv6 address, the first byte on top; IPv4 in the mapped form.
  public let bits: UInt128

  private static let mappedPrefix: UInt128 = 0xFFFF

  public init(bits: UInt128) { self.bits = bits }

  public init(ipv4 address: UInt32) { bits = Self.mappedPrefix << 32 | UInt128(address) }

  /// Reads the four decimal numbers of IPv4 or any form of IPv6 without a zone; nil for anything else, such as the
  /// octal, hexadecimal and short forms that old software takes.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45, !text.utf8.contains(UInt8(ascii: "%")), !text.utf8.contains(0) else { return nil }
    let text = String(text)
    var (ipv4, ipv6) = (UInt32.zero, UInt128.zero)
    if inet_pton(AF_INET, text, &ipv4) == 1 {
      self.init(ipv4: UInt32(bigEndian: ipv4))
    } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
      self.init(bits: UInt128(bigEndian: ipv6))
    } else {
      return nil
    }
  }

  /// The IPv4 address, if it is one.
  public var ipv4: UInt32? { bits >> 32 == Self.mappedPrefix ? UInt32(truncatingIfNeeded: bits) : nil }

  /// In a form that every reader of addresses takes.
  public var text: String {
    if let ipv4 { return [24, 16, 8, 0].map { String(ipv4 >> $0 & 0xFF) }.joined(separator: ".") }
    return (0..<8).map { String(UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)), radix: 16) }.joined(separator: ":")
  }

  public var description: String { text }
}
