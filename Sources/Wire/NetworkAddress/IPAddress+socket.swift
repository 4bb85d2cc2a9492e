public import NIOCore

extension IPAddress {
  /// The address of one end of a connection; nil if it is a file.
  public init?(_ address: SocketAddress) {
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
}
