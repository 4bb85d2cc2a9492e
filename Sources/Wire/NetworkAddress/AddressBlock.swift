#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// All addresses with the same first bits.
public struct AddressBlock: Sendable, Hashable {
  public let base: IPAddress
  /// Of the 128 bits of an `IPAddress`.
  public let length: Int

  public init(ipv4 base: UInt32, _ length: Int) {
    self.base = IPAddress(ipv4: base)
    self.length = 96 + length
  }

  public init(ipv6 high: UInt64, _ length: Int) {
    base = IPAddress(bits: UInt128(high) << 64)
    self.length = length
  }

  /// Reads `10.0.0.0/8`, `fd00::/8`, or one address; nil for anything else.
  public init?(_ text: some StringProtocol) {
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

  public func contains(_ address: IPAddress) -> Bool {
    length == 0 || (base.bits ^ address.bits) >> (128 - length) == 0
  }
}

extension AddressBlock: CustomStringConvertible {
  /// As it is read: `10.0.0.0/8`, `fd00::/8`, or one address alone. Spec: RFC 5952 for the shortest form of IPv6.
  public var description: String {
    if base.ipv4 != nil && length >= 96 { return length == 128 ? base.text : "\(base.text)/\(length - 96)" }
    var bits = base.bits.bigEndian
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = inet_ntop(AF_INET6, &bits, &text, socklen_t(text.count))
    let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return length == 128 ? address : "\(address)/\(length)"
  }
}
