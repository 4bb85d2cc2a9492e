internal import NetworkAddress

extension IPAddress {
  /// False if the address is not one of the public internet: loopback, private, shared (carrier), link-local,
  /// multicast, unspecified, documentation, benchmarking, reserved, and IPv6 forms that carry such an IPv4 address.
  /// Spec: providers 4.5.
  var isPublic: Bool {
    if ipv4 != nil { return !Self.specialIPv4.contains { $0.contains(self) } }
    // NAT64 and 6to4 lead to the IPv4 address within.
    if Self.nat64.contains(self) { return IPAddress(ipv4: UInt32(truncatingIfNeeded: bits)).isPublic }
    if Self.sixToFour.contains(self) { return IPAddress(ipv4: UInt32(truncatingIfNeeded: bits >> 80)).isPublic }
    // What is not named here is no public address: ::1, fc00::/7, fe80::/10, ff00::/8, 64:ff9b:1::/48, …
    return Self.globalUnicast.contains(self) && !Self.specialIPv6.contains { $0.contains(self) }
  }

  private static let nat64 = AddressBlock(ipv6: 0x0064_FF9B_0000_0000, 96)
  private static let sixToFour = AddressBlock(ipv6: 0x2002_0000_0000_0000, 16)
  private static let globalUnicast = AddressBlock(ipv6: 0x2000_0000_0000_0000, 3)

  private static let specialIPv6 = [
    AddressBlock(ipv6: 0x2001_0000_0000_0000, 23),  // protocol assignments, Teredo among them
    AddressBlock(ipv6: 0x2001_0DB8_0000_0000, 32),  // documentation
    AddressBlock(ipv6: 0x3FFF_0000_0000_0000, 20),  // documentation
  ]

  private static let specialIPv4 = [
    AddressBlock(ipv4: 0x0000_0000, 8),  // this network
    AddressBlock(ipv4: 0x0A00_0000, 8),  // private
    AddressBlock(ipv4: 0x6440_0000, 10),  // shared by a carrier's customers
    AddressBlock(ipv4: 0x7F00_0000, 8),  // loopback
    AddressBlock(ipv4: 0xA83F_8110, 32),  // public by number, but a machine's own host at Azure
    AddressBlock(ipv4: 0xA9FE_0000, 16),  // link-local, the clouds' metadata
    AddressBlock(ipv4: 0xAC10_0000, 12),  // private
    AddressBlock(ipv4: 0xC000_0000, 24),  // protocol assignments
    AddressBlock(ipv4: 0xC000_0200, 24),  // documentation
    AddressBlock(ipv4: 0xC058_6300, 24),  // 6to4 relays
    AddressBlock(ipv4: 0xC0A8_0000, 16),  // private
    AddressBlock(ipv4: 0xC612_0000, 15),  // benchmarking
    AddressBlock(ipv4: 0xC633_6400, 24),  // documentation
    AddressBlock(ipv4: 0xCB00_7100, 24),  // documentation
    AddressBlock(ipv4: 0xE000_0000, 3),  // multicast, reserved, broadcast
  ]
}
